import type { Sql } from "../../platform/database/database.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";

/** The picture of a dead letter. */
export interface DeadImage {
  readonly image_id: number;
  readonly camera_id: string;
  readonly path: string;
  readonly status: string;
  readonly reason: string | null;
  readonly failedAt: Date | null;
}

/** Returns the pictures with these ids, in no particular order. */
export async function deadImages(sql: Sql, ids: readonly number[]): Promise<readonly DeadImage[]> {
  return await sql<DeadImage[]>`
    select i.image_id, i.camera_id, ${fullPath(sql, sql`i.path`)} as path, i.status, i.reason, i.finished_at as "failedAt"
    from images i
    where i.image_id = any (${[...ids]}::bigint[])
  `;
}

/** The webhook delivery of a dead letter. */
export interface DeadDelivery {
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly webhook_name: string;
  readonly event_type: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempt_count: number;
  readonly failedAt: Date | null;
}

/** Returns the deliveries with these ids, in no particular order. */
export async function deadDeliveries(sql: Sql, ids: readonly string[]): Promise<readonly DeadDelivery[]> {
  return await sql<DeadDelivery[]>`
    select d.delivery_id, d.webhook_id, w.name as webhook_name, d.event_type, d.event_id, d.status, d.attempt_count,
      (select max(a.finished_at) from webhook_delivery_attempts a where a.delivery_id = d.delivery_id) as "failedAt"
    from webhook_deliveries d
    join webhooks w using (webhook_id)
    where d.delivery_id = any (${[...ids]}::uuid[])
  `;
}

/** The notification of a dead letter. */
export interface DeadNotification {
  readonly notification_id: string;
  /** Null for the summary of a silence. */
  readonly alert_id: string | null;
  readonly silence_id: string | null;
  readonly kind: string;
  readonly channel: string;
  readonly rule_name: string | null;
  readonly camera_id: string | null;
  readonly recipient: string | null;
  readonly alert_count: number | null;
  readonly status: string;
  readonly attempt_count: number;
  readonly failedAt: Date | null;
}

/** Returns the notifications with these ids, in no particular order. */
export async function deadNotifications(sql: Sql, ids: readonly string[]): Promise<readonly DeadNotification[]> {
  return await sql<DeadNotification[]>`
    select n.notification_id, n.alert_id, n.silence_id, n.kind, n.channel,
      coalesce(a.rule_name, s.rule_name, h.rule_name) as rule_name, coalesce(a.camera_id, s.camera_id, h.camera_id) as camera_id,
      h.recipient, h.alert_count, n.status, n.attempt_count, n.finished_at as "failedAt"
    from notifications n
    left join alerts a on a.alert_id = n.alert_id
    left join silences s on s.silence_id = n.silence_id
    left join lateral (
      select u.recipient, count(x.alert_id) as alert_count,
        case when min(x.rule_name) = max(x.rule_name) then min(x.rule_name) end as rule_name,
        case when min(x.camera_id) = max(x.camera_id) then min(x.camera_id) end as camera_id
      from catch_ups u
      left join alert_recipients t on t.catch_up_id = u.catch_up_id
      left join alerts x on x.alert_id = t.alert_id
      where u.catch_up_id = n.catch_up_id
      group by u.recipient
    ) h on true
    where n.notification_id = any (${[...ids]}::uuid[])
  `;
}

/** The event of a dead letter. */
export interface DeadEvent {
  readonly event_id: number;
  readonly camera_id: string;
  readonly started_at: Date;
  readonly analysis_status: string;
  readonly failedAt: Date | null;
}

/** Returns the events with these ids, soft-deleted ones included, in no particular order. */
export async function deadEvents(sql: Sql, ids: readonly number[]): Promise<readonly DeadEvent[]> {
  return await sql<DeadEvent[]>`
    select e.event_id, e.camera_id, e.started_at, e.analysis_status,
      (select max(a.finished_at) from analysis_attempts a where a.event_id = e.event_id) as "failedAt"
    from events e
    where e.event_id = any (${[...ids]}::bigint[])
  `;
}
