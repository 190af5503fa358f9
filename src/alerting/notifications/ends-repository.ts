import type { Sql } from "../../platform/database/database.ts";
import { insertDeliverJobs } from "../../work/jobs/deliver-repository.ts";

/** Whose end is to be told: the incidents of these events, or the one that a single notification told of. */
export type Ended = { readonly eventIds: readonly number[] } | { readonly notificationId: string };

/**
 * Stores for each channel through which somebody was told of an incident that it is over, with a job, in the caller's transaction.
 * Nothing for an incident that lasts, one of a camera that was deleted, an alert that was dismissed, a channel that did not send
 * the beginning, or one that has the end already. The caller holds no alert, as notifications come first. Returns how many there are.
 */
export async function insertEnds(sql: Sql, ended: Ended, now: Date): Promise<number> {
  const which =
    "eventIds" in ended
      ? sql`n.alert_id in (select a.alert_id from alerts a where a.event_id = any (${[...ended.eventIds]}::bigint[]))`
      : sql`n.notification_id = ${ended.notificationId}`;
  const stored = await sql`
    with told as materialized (
      -- locked, so that an attempt that is being stored is either seen here, or sees the end itself
      select n.alert_id, n.channel, n.status, n.expires_at - n.created_at as patience
      from notifications n
      where n.kind = 'alert'
        and ${which}
      order by n.notification_id
      for share
    ), stored as (
      insert into notifications (notification_id, alert_id, kind, channel, status, next_attempt_at, expires_at, created_at)
      select gen_random_uuid(), t.alert_id, 'end', t.channel, 'waiting', ${now}::timestamptz, ${now}::timestamptz + t.patience, ${now}::timestamptz
      from told t
      join alerts a on a.alert_id = t.alert_id
      join camera_incidents i on i.event_id = a.event_id
      join cameras c on c.camera_id = i.camera_id
      where t.status = 'sent'
        and a.status <> 'dismissed'
        and i.ended_at is not null
        and c.deleted_at is null
      on conflict (alert_id, kind, channel) do nothing
      returning notification_id, channel
    )
    ${insertDeliverJobs(sql, { notificationId: sql`s.notification_id`, channel: sql`s.channel` }, now)}
    from stored s
  `;
  return stored.count;
}

/** The notification that told of an alert through a channel, or undefined. */
export async function beginningOf(sql: Sql, alertId: string, channel: string): Promise<string | undefined> {
  const [row] = await sql<[{ id: string }?]>`
    select n.notification_id as id
    from notifications n
    where n.alert_id = ${alertId}
      and n.kind = 'alert'
      and n.channel = ${channel}
  `;
  return row?.id;
}
