import { type Attempt, columns, type Delivery } from "../../alerting/webhooks/deliveries-repository.ts";
import type { Sql } from "../../platform/database/database.ts";

/** A delivery with the name of its webhook, and whether the rule of the alert names that. */
export type DeliveryFacts = Delivery & { readonly webhook_name: string; readonly by_rule: boolean };

/** Types about subjects other than events and alerts, whose ids may look the same. */
const otherTypes = ["entity_discovered", "anomaly_detected", "system_health_changed"];

/** The deliveries about these events and alerts, oldest first. */
export async function deliveriesAbout(sql: Sql, subjects: readonly string[], limit: number): Promise<readonly DeliveryFacts[]> {
  return await sql<DeliveryFacts[]>`
    select ${columns(sql)}, w.name as webhook_name, d.by_rule
    from webhook_deliveries d
    join webhooks w on w.webhook_id = d.webhook_id
    where d.event_id = any (${[...subjects]}::text[])
      and d.event_type <> all (${otherTypes}::text[])
    order by d.created_at, d.event_type, w.name, d.delivery_id
    limit ${limit}
  `;
}

/** One request to a webhook. */
export type DeliveryAttemptFacts = Attempt & { readonly delivery_id: string };

/** The requests of these deliveries, oldest first. */
export async function deliveryAttempts(sql: Sql, deliveryIds: readonly string[]): Promise<readonly DeliveryAttemptFacts[]> {
  return await sql<DeliveryAttemptFacts[]>`
    select t.delivery_id, t.attempt, t.started_at, t.finished_at, t.status_code,
      t.error, t.response
    from webhook_delivery_attempts t
    where t.delivery_id = any (${[...deliveryIds]}::uuid[])
    order by t.delivery_id, t.attempt
  `;
}
