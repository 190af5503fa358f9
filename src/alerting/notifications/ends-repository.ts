import { mayBeNoFault } from "../../monitoring/cameras/silence-limit.ts";
import type { Sql } from "../../platform/database/database.ts";
import { separateMessages } from "./joining-repository.ts";

/** Which incidents have ended: those of these events, or the one that these notifications reported. */
export type Ended = { readonly eventIds: readonly number[] } | { readonly notificationIds: readonly string[] };

/**
 * Queues a notification that an incident is over for each channel that reported its beginning, in the caller's transaction. Mails about one
 * incident are joined, and messages to the same phones. Skips an incident that lasts, a silence that may be no fault, a deleted camera, a dismissed alert, an incident that
 * was reported before a restore, a channel that
 * did not send the beginning, and one that has the end already. The caller must not hold a lock on an alert, since notifications are
 * locked first. Returns the number of notifications.
 */
export async function insertEnds(sql: Sql, ended: Ended, now: Date): Promise<number> {
  const which =
    "eventIds" in ended
      ? sql`n.alert_id in (select a.alert_id from alerts a where a.event_id = any (${[...ended.eventIds]}::bigint[]))`
      : sql`n.notification_id = any (${[...ended.notificationIds]}::uuid[])`;
  const stored = await sql<{ id: string; channel: string; channelId: string | null; eventId: number }[]>`
    with beginnings as materialized (
      -- locked, so that an attempt that is being stored either is visible here or sees the end itself
      select n.alert_id, n.channel, n.channel_id, n.status, n.expires_at - n.created_at as lifetime
      from notifications n
      where n.kind = 'alert'
        and ${which}
      order by n.notification_id
      for share
    ), stored as (
      insert into notifications (notification_id, alert_id, kind, channel, channel_id, status, next_attempt_at, expires_at, created_at)
      select gen_random_uuid(), b.alert_id, 'end', b.channel, b.channel_id, 'waiting', ${now}::timestamptz, ${now}::timestamptz + b.lifetime, ${now}::timestamptz
      from beginnings b
      join alerts a on a.alert_id = b.alert_id
      join camera_incidents i on i.event_id = a.event_id
      join cameras c on c.camera_id = i.camera_id
      where b.status = 'sent'
        and a.status <> 'dismissed'
        and i.ended_at is not null
        and c.deleted_at is null
        and strpos(i.reason, ${mayBeNoFault}) = 0
        and not exists (select from restores r where r.restored_at > i.opened_at)
      on conflict (alert_id, kind, channel) do nothing
      returning notification_id, alert_id, channel, channel_id
    )
    select s.notification_id as id, s.channel, s.channel_id as "channelId", a.event_id as "eventId"
    from stored s
    join alerts a on a.alert_id = s.alert_id
    order by s.notification_id
  `;
  await separateMessages(sql, stored, now);
  return stored.length;
}

/** Returns the id of the message that reported an alert through a channel, or undefined. */
export async function beginningOf(sql: Sql, alertId: string, channel: string): Promise<string | undefined> {
  const [row] = await sql<[{ id: string }?]>`
    select coalesce(n.joined_to, n.notification_id) as id
    from notifications n
    where n.alert_id = ${alertId}
      and n.kind = 'alert'
      and n.channel = ${channel}
  `;
  return row?.id;
}
