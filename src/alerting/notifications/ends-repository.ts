import { mayBeNoFault } from "../../monitoring/cameras/silence-limit.ts";
import type { Sql } from "../../platform/database/database.ts";
import { insertFollowing } from "./following-repository.ts";

/** Which incidents have ended: those of these events, or the one that these notifications reported. */
export type Ended = { readonly eventIds: readonly number[] } | { readonly notificationIds: readonly string[] };

/**
 * Queues a notification that an incident is over for each channel that reported its beginning, as `insertFollowing` says. Skips an incident
 * that lasts, a silence that may be no fault, a dismissed alert, and an incident that was reported before a restore. Returns the number of
 * notifications.
 */
export async function insertEnds(sql: Sql, ended: Ended, now: Date): Promise<number> {
  const which =
    "eventIds" in ended
      ? sql`n.alert_id in (select a.alert_id from alerts a where a.event_id = any (${[...ended.eventIds]}::bigint[]))`
      : sql`n.notification_id = any (${[...ended.notificationIds]}::uuid[])`;
  const joins = sql`
    join camera_incidents i on i.event_id = a.event_id
    join cameras c on c.camera_id = i.camera_id
  `;
  const conditions = sql`
    a.status <> 'dismissed'
    and i.ended_at is not null
    and strpos(i.reason, ${mayBeNoFault}) = 0
    and not exists (select from restores r where r.restored_at > i.opened_at)
  `;
  return await insertFollowing(sql, { kind: "end", of: which, joins, conditions }, now);
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
