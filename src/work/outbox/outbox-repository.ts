import type { OutboundEvent } from "../../contract/outbound-events.ts";
import type { Sql } from "../../platform/database/database.ts";
import { insertDeliverJobs, laneOfWebhook } from "../jobs/deliver-repository.ts";

/** An event for the subscribed webhooks; `data` is JSON text. */
export interface Emission {
  readonly type: string;
  readonly eventId: string;
  readonly data: string;
  /** The id of the event that it is about, as text. */
  readonly about: string | null;
  readonly alert: OutboundEvent["alert"];
  readonly webhookIds: readonly string[];
  /** The earliest time of the first attempt. */
  readonly availableAt: Date;
}

/**
 * Stores a delivery and its job for each event and each enabled webhook that subscribed to its type, in the order given. A webhook with
 * limits gets only alerts within them; one that is named for an event gets it in any case. A message about an event starts no earlier
 * than one about the same event that still waits at this webhook.
 */
export async function queueDeliveries(sql: Sql, emissions: readonly Emission[], now: Date): Promise<void> {
  await sql`
    with told as (
      select gen_random_uuid() as delivery_id, w.webhook_id, e.type, e.event_id, e.data, e.position, e.about,
        w.webhook_id = any (e.named) as by_rule, greatest(e.available_at, ahead.available_at) as available_at
      from unnest(
        ${emissions.map(({ type }) => type)}::text[],
        ${emissions.map(({ eventId }) => eventId)}::text[],
        ${emissions.map(({ data }) => data)}::text[],
        ${emissions.map(({ about }) => about)}::text[],
        ${sql.array(emissions.map(({ availableAt }) => availableAt))}::timestamptz[],
        ${emissions.map(({ alert }) => alert?.ruleId ?? null)}::uuid[],
        ${emissions.map(({ alert }) => alert?.severity ?? null)}::text[],
        ${emissions.map(({ webhookIds }) => `{${webhookIds.join(",")}}`)}::text[]
      ) with ordinality as g (type, event_id, data, about, available_at, rule_id, severity, named, position)
      cross join lateral (
        select g.type, g.event_id, g.data, g.about, g.available_at, g.rule_id, g.severity, g.named::uuid[] as named, g.position
      ) e
      join webhooks w on w.enabled
        and (
          w.webhook_id = any (e.named)
          or e.type = any (w.event_types)
            and (w.rule_ids is null or e.severity is null or e.rule_id = any (w.rule_ids))
            and (w.severities is null or e.severity is null or e.severity = any (w.severities))
        )
      left join lateral (
        -- the status as a filter: as a condition, all pending jobs would be looked up as long as the table has no statistics
        select max(j.available_at) filter (where j.status = 'pending') as available_at
        from jobs j
        where j.awaits = e.about
          -- no equality, which the index of lanes would serve: a receiver that is away has thousands of jobs, an event a few
          and j.lane is not distinct from ${laneOfWebhook(sql, sql`w.webhook_id`)}
      ) ahead on true
      -- one that is being deleted is waited for, and then left out
      for key share of w
    ), stored as (
      insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, data, emitted_at, created_at, message_id, by_rule)
      select t.delivery_id, t.webhook_id, t.type, t.event_id, t.data::jsonb, ${now}, ${now}, t.delivery_id, t.by_rule
      from told t
    )
    ${insertDeliverJobs(sql, { deliveryId: sql`t.delivery_id`, webhookId: sql`t.webhook_id` }, now, {
      availableAt: sql`t.available_at`,
      awaits: sql`case when t.available_at > ${now} then t.about end`,
    })}
    from told t
    order by t.position
  `;
}

/**
 * Replaces what deliveries of messages about an event say happened, before their first attempt: the record of a new event as a whole, and
 * the overview of the event in others. Leaves out deliveries that are locked, since their webhook is being deleted.
 */
export async function replaceUnsent(
  sql: Sql,
  deliveryIds: readonly string[],
  { overview, created }: { readonly overview: object; readonly created: object },
): Promise<void> {
  await sql`
    update webhook_deliveries d
    set data = case when d.event_type = 'event_created' then ${JSON.stringify(created)}::text::jsonb
      else d.data || ${JSON.stringify(overview)}::text::jsonb end
    where d.delivery_id = any (array(
      select u.delivery_id
      from webhook_deliveries u
      where u.delivery_id = any (${[...deliveryIds]}::uuid[])
        and u.attempt_count = 0
      for no key update skip locked
    ))
  `;
}
