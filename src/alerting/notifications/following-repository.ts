import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { separateMessages } from "./joining-repository.ts";

/** A message that follows the one about an alert, on each channel that sent that one. */
interface Following {
  readonly kind: "end" | "update";
  /** Which notifications `n` about alerts may need it. */
  readonly of: SqlFragment;
  /** Joins what the conditions need to the alert `a` and its sent message `b`; one of them is the camera `c`. */
  readonly joins: SqlFragment;
  readonly conditions: SqlFragment;
}

/**
 * Queues messages that follow sent ones, once for each alert and channel, in the caller's transaction. Skips alerts of deleted cameras.
 * Mails about one event are joined, and messages to the same phones. The caller must not hold a lock on an alert, since notifications are
 * locked first. Returns the number of notifications.
 */
export async function insertFollowing(sql: Sql, { kind, of, joins, conditions }: Following, now: Date): Promise<number> {
  const stored = await sql<{ id: string; channel: string; channelId: string | null; eventId: number }[]>`
    with alerted as materialized (
      -- locked, so that an attempt that is being stored either is visible here or sees itself what calls for this message
      select n.alert_id, n.channel, n.channel_id, n.recipient_id, n.status, n.finished_at, n.expires_at - n.created_at as lifetime
      from notifications n
      where n.kind = 'alert'
        and ${of}
      order by n.notification_id
      for share
    ), stored as (
      insert into notifications (notification_id, alert_id, kind, channel, channel_id, recipient_id, status, next_attempt_at, expires_at, created_at)
      select gen_random_uuid(), b.alert_id, ${kind}, b.channel, b.channel_id, b.recipient_id, 'waiting', ${now}::timestamptz,
        ${now}::timestamptz + b.lifetime, ${now}::timestamptz
      from alerted b
      join alerts a on a.alert_id = b.alert_id
      ${joins}
      where b.status = 'sent'
        and c.deleted_at is null
        and ${conditions}
      on conflict (alert_id, kind, channel, round) do nothing
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
