import type { Sql } from "../../platform/database/database.ts";
import { insertDeliverJobs } from "../jobs/deliver-repository.ts";

/** An event for the subscribed webhooks; `data` is JSON text. */
export interface Emission {
  readonly type: string;
  readonly eventId: string;
  readonly data: string;
}

/** Stores a delivery and its job for each event and each enabled webhook that subscribed to its type, in the order given. */
export async function queueDeliveries(sql: Sql, emissions: readonly Emission[], now: Date): Promise<void> {
  await sql`
    with told as (
      select gen_random_uuid() as delivery_id, w.webhook_id, e.type, e.event_id, e.data, e.position
      from unnest(
        ${emissions.map(({ type }) => type)}::text[],
        ${emissions.map(({ eventId }) => eventId)}::text[],
        ${emissions.map(({ data }) => data)}::text[]
      ) with ordinality as e (type, event_id, data, position)
      join webhooks w on w.enabled and e.type = any (w.event_types)
      -- one that is being deleted is waited for, and then left out
      for key share of w
    ), stored as (
      insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, data, emitted_at, created_at, message_id)
      select t.delivery_id, t.webhook_id, t.type, t.event_id, t.data::jsonb, ${now}, ${now}, t.delivery_id
      from told t
    )
    ${insertDeliverJobs(sql, { deliveryId: sql`t.delivery_id`, webhookId: sql`t.webhook_id` }, now)}
    from told t
    order by t.position
  `;
}
