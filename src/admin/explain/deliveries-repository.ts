import type { Sql } from "../../platform/database/database.ts";

/** A message to an outbound webhook. */
export interface DeliveryFacts {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly webhookName: string;
  readonly eventType: string;
  /** Id of the event or alert that it reports. */
  readonly subject: string;
  readonly status: "pending" | "success" | "failed" | "retrying";
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly attemptCount: number;
  readonly nextRetryAt: Date | null;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  readonly retryOf: string | null;
}

/** Types about subjects other than events and alerts, whose ids may look the same. */
const otherTypes = ["entity_discovered", "anomaly_detected", "system_health_changed"];

/** The deliveries about these events and alerts, oldest first. */
export async function deliveriesAbout(sql: Sql, subjects: readonly string[], limit: number): Promise<readonly DeliveryFacts[]> {
  return await sql<DeliveryFacts[]>`
    select d.delivery_id as "deliveryId", d.webhook_id as "webhookId", w.name as "webhookName", d.event_type as "eventType",
      d.event_id as subject, d.status, d.status_code as "statusCode", d.error_message as error, d.attempt_count as "attemptCount",
      d.next_retry_at as "nextRetryAt", d.created_at as "createdAt", d.delivered_at as "deliveredAt", d.retry_of as "retryOf"
    from webhook_deliveries d
    join webhooks w on w.webhook_id = d.webhook_id
    where d.event_id = any (${[...subjects]}::text[])
      and d.event_type <> all (${otherTypes}::text[])
    order by d.created_at, d.event_type, w.name, d.delivery_id
    limit ${limit}
  `;
}

/** One request to a webhook. */
export interface DeliveryAttemptFacts {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** The requests of these deliveries, oldest first. */
export async function deliveryAttempts(sql: Sql, deliveryIds: readonly string[]): Promise<readonly DeliveryAttemptFacts[]> {
  return await sql<DeliveryAttemptFacts[]>`
    select t.delivery_id as "deliveryId", t.attempt, t.started_at as "startedAt", t.finished_at as "finishedAt", t.status_code as "statusCode",
      t.error, t.response
    from webhook_delivery_attempts t
    where t.delivery_id = any (${[...deliveryIds]}::uuid[])
    order by t.delivery_id, t.attempt
  `;
}
