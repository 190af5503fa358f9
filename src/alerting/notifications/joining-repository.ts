import type { Sql } from "../../platform/database/database.ts";
import { insertDeliverJobs } from "../../work/jobs/deliver-repository.ts";
import { isMail } from "../channels/targets.ts";
import type { JoinedAlert } from "../delivery/message.ts";

/** Lists the alerts whose notifications are joined to this one and still have to be sent, or were sent with it, oldest first. */
export async function joinedAlerts(sql: Sql, notificationId: string, which: "unsent" | "sent" = "unsent"): Promise<readonly JoinedAlert[]> {
  return await sql<JoinedAlert[]>`
    select n.notification_id as "notificationId", a.alert_id as "alertId", a.rule_name as "ruleName", a.severity,
      coalesce(v.matched_conditions, '{}') as "matchedConditions"
    from notifications n
    join alerts a on a.alert_id = n.alert_id
    left join lateral (
      select r.matched_conditions
      from rule_verdicts r
      where r.alert_id = a.alert_id
      limit 1
    ) v on true
    where n.joined_to = ${notificationId}
      and ${which === "sent" ? sql`n.status = 'sent'` : sql`(n.status = 'waiting' or n.unreached is not null)`}
    order by a.created_at, a.alert_id
  `;
}

/**
 * Gives notifications a separate message, because the one that they were joined to ended without them: the first gets a job, and the others
 * are joined to it. They are locked, and their ids ascend.
 */
export async function separateNotifications(sql: Sql, [leader, ...others]: readonly string[], now: Date): Promise<void> {
  if (leader === undefined) return;
  await sql`
    update notifications n
    set joined_to = ${leader}, next_attempt_at = ${now}
    where n.notification_id = any (${others}::uuid[])
  `;
  await sql`
    with separated as (
      update notifications n
      set joined_to = null, next_attempt_at = ${now}
      where n.notification_id = ${leader}
      returning n.notification_id, n.channel, n.channel_id
    )
    ${insertDeliverJobs(sql, { notificationId: sql`s.notification_id`, channel: sql`s.channel`, channelId: sql`s.channel_id` }, now)}
    from separated s
  `;
}

/**
 * Gives jobs to new notifications in ascending order of their ids: mails about an event are one message, messages to
 * the same phones too, and a webhook gets one for each alert.
 */
export async function separateMessages(
  sql: Sql,
  stored: readonly { readonly id: string; readonly channel: string; readonly channelId: string | null; readonly eventId: number }[],
  now: Date,
): Promise<void> {
  const messages = new Map<string, string[]>();
  for (const { id, channel, channelId, eventId } of stored) {
    const key = isMail({ channel, channelId }) || channelId !== null ? `event ${eventId} ${channelId ?? channel}` : id;
    messages.set(key, [...(messages.get(key) ?? []), id]);
  }
  for (const ids of messages.values()) await separateNotifications(sql, ids, now);
}

/** Gives a separate message to the waiting notifications that are joined to these, which were cancelled. */
export async function separateFrom(sql: Sql, cancelled: readonly string[], now: Date): Promise<void> {
  for (const id of cancelled) {
    const rows = await sql<{ id: string }[]>`
      select n.notification_id as id
      from notifications n
      where n.joined_to = ${id}
        and n.status = 'waiting'
      order by n.notification_id
    `;
    await separateNotifications(
      sql,
      rows.map((row) => row.id),
      now,
    );
  }
}

/** Locks the notifications of an alert, those that are joined to them, and those that they are joined to, in the common order. */
export async function lockWithJoined(sql: Sql, alertId: string): Promise<void> {
  await sql`
    select count(*)
    from (
      select
      from notifications n
      where n.alert_id = ${alertId}
        or n.joined_to = any (array(select o.notification_id from notifications o where o.alert_id = ${alertId}))
        or n.notification_id = any (array(select o.joined_to from notifications o where o.alert_id = ${alertId}))
      order by n.notification_id
      for update
    ) locked
  `;
}
