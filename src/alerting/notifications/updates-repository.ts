import type { Sql } from "../../platform/database/database.ts";
import { restoredAfterEvent } from "../../work/outbox/restores-repository.ts";
import { insertFollowing } from "./following-repository.ts";

/** Which alerts may need an update: those of an event that was just judged, or those that these notifications have just reported. */
export type Reported = { readonly eventId: number } | { readonly notificationIds: readonly string[] };

/**
 * Queues the message that follows an immediate alert, as `insertFollowing` says: the visit is over and judged. Skips an alert that a person
 * ended or whose event was deleted, a message that was made after the judgement, a channel that reported another alert of the event since
 * the visit ended, and a failed analysis if nothing was detected since. Returns the number of notifications.
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
  const joins = sql`
    join events e on e.event_id = a.event_id
    join cameras c on c.camera_id = e.camera_id
  `;
  const conditions = sql`
    a.status in ('pending', 'delivered')
    and a.created_at < e.closed_at
    and e.deleted_at is null
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
  `;
  return await insertFollowing(sql, { kind: "update", of: which, joins, conditions }, now);
}
