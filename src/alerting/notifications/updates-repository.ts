import type { Sql } from "../../platform/database/database.ts";
import { restoredAfterEvent } from "../../work/outbox/restores-repository.ts";
import { separateMessages } from "./joining-repository.ts";

/** Which alerts may need an update: those of an event that was just judged, or those that these notifications have just reported. */
export type Reported = { readonly eventId: number } | { readonly notificationIds: readonly string[] };

/**
 * Queues the message that follows an immediate alert, once for each channel that sent it, in the caller's transaction: the visit is over
 * and judged. Mails about one event are joined, and messages to the same phones. Skips an alert that a person ended or whose event or camera was deleted, a message that was
 * made after the judgement, a channel that reported another alert of the event since the visit ended, and a failed analysis if nothing was
 * detected since. The caller must not hold a lock on an alert, since notifications are locked first. Returns the number of notifications.
 */
export async function insertUpdates(sql: Sql, reported: Reported, now: Date): Promise<number> {
  const which =
    "eventId" in reported
      ? sql`n.alert_id in (select a.alert_id from alerts a where a.event_id = ${reported.eventId})`
      : sql`n.notification_id = any (${[...reported.notificationIds]}::uuid[])`;
  // The caller knows that these messages were made before the judgement
  const wasUnjudged =
    "eventId" in reported
      ? sql`not exists (
          select from analysis_attempts t
          where t.event_id = e.event_id and t.outcome <> 'unavailable' and t.finished_at >= e.closed_at and t.finished_at <= b.finished_at
        )`
      : sql`true`;
  const stored = await sql<{ id: string; channel: string; channelId: string | null; eventId: number }[]>`
    with alerted as materialized (
      -- locked, so that an attempt that is being stored either is visible here or sees the judgement itself
      select n.alert_id, n.channel, n.channel_id, n.status, n.finished_at, n.expires_at - n.created_at as lifetime
      from notifications n
      where n.kind = 'alert'
        and ${which}
      order by n.notification_id
      for share
    ), stored as (
      insert into notifications (notification_id, alert_id, kind, channel, channel_id, status, next_attempt_at, expires_at, created_at)
      select gen_random_uuid(), b.alert_id, 'update', b.channel, b.channel_id, 'waiting', ${now}::timestamptz, ${now}::timestamptz + b.lifetime, ${now}::timestamptz
      from alerted b
      join alerts a on a.alert_id = b.alert_id
      join events e on e.event_id = a.event_id
      join cameras c on c.camera_id = e.camera_id
      where b.status = 'sent'
        and a.status in ('pending', 'delivered')
        and a.created_at < e.closed_at
        and e.deleted_at is null
        and c.deleted_at is null
        and (e.risk_score is not null or e.analysis_status = 'failed' and exists (
          select from detections d where d.event_id = e.event_id and d.created_at > b.finished_at
        ))
        and ${wasUnjudged}
        and ${restoredAfterEvent(sql)} is null
        and not exists (
          select
          from alerts o
          join notifications m on m.alert_id = o.alert_id
          where o.event_id = a.event_id
            and o.created_at >= e.closed_at
            and m.kind = 'alert'
            and case when b.channel_id is null then m.channel = b.channel else m.channel_id = b.channel_id end
            and m.status in ('waiting', 'sent')
        )
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
