import type { Sql } from "../../platform/database/database.ts";
import type { Alert } from "../alerts/alert.ts";
import type { AnswerAction } from "../notifications/answer-token.ts";

/** A button that was pressed: its message, and the person with the device, such as `Anna on Telegram`. */
export interface Answer {
  readonly action: AnswerAction;
  readonly notificationId: string;
  readonly by: string;
}

/** An alert that a message is about. */
export interface AnsweredAlert extends Pick<Alert, "id" | "camera_id"> {
  readonly cameraName: string;
}

/**
 * Locks the messages about the alerts that a message reported, and returns these alerts, the message's own first. Empty if they were deleted.
 * Notifications are locked before alerts (decision 8).
 */
export async function lockAlertsOf(sql: Sql, notificationId: string): Promise<readonly AnsweredAlert[]> {
  const alerts = await sql<AnsweredAlert[]>`
    select a.alert_id as id, a.camera_id, c.name as "cameraName"
    from notifications n
    join alerts a on a.alert_id = n.alert_id
    join cameras c on c.camera_id = a.camera_id
    where n.notification_id = ${notificationId}
      or (n.joined_to = ${notificationId} and n.status in ('sent', 'cancelled'))
    order by n.joined_to is not null, a.alert_id
  `;
  const ids = alerts.map(({ id }) => id);
  await sql`
    select count(*)
    from (
      select
      from notifications n
      where n.alert_id = any (${ids}::uuid[])
        or n.joined_to = any (array(select o.notification_id from notifications o where o.alert_id = any (${ids}::uuid[])))
      order by n.notification_id
      for update
    ) locked
  `;
  return alerts;
}

/** Returns the name of the channel that brought a message; undefined if the message was deleted. */
export async function channelOfMessage(sql: Sql, notificationId: string): Promise<string | undefined> {
  const [row] = await sql<[{ channel: string }?]>`select n.channel from notifications n where n.notification_id = ${notificationId}`;
  return row?.channel;
}

/** Stores an answer to an alert. Returns false if the alert has one with this effect already. */
export async function insertAnswer(sql: Sql, alertId: string, { action, notificationId, by }: Answer, now: Date): Promise<boolean> {
  const stored = await sql`
    insert into answers (alert_id, notification_id, action, answered_at, answered_by)
    values (${alertId}, ${notificationId}, ${action}, ${now}, ${by})
    on conflict (alert_id, action) do nothing
  `;
  return stored.count === 1;
}

/** Lists the messages of a channel that may still repeat, with their receipts: their alerts are open. Oldest first. */
export async function openReceipts(
  sql: Sql,
  channelId: string,
  since: Date,
): Promise<readonly { readonly notificationId: string; readonly receipt: string }[]> {
  return await sql<{ notificationId: string; receipt: string }[]>`
    select n.notification_id as "notificationId", n.reference as receipt
    from notifications n
    join alerts a on a.alert_id = n.alert_id
    where n.channel_id = ${channelId}
      and n.status = 'sent'
      and n.joined_to is null
      and n.finished_at > ${since}
      and n.reference ~ '^[A-Za-z0-9]{30}$'
      and a.status in ('pending', 'delivered')
    order by n.finished_at, n.notification_id
  `;
}

/** A stored answer. */
export interface StoredAnswer {
  readonly alert_id: string;
  readonly action: AnswerAction;
  readonly answered_at: Date;
  readonly answered_by: string;
}

/** Lists the answers to alerts, oldest first. */
export async function answersTo(sql: Sql, alertIds: readonly string[]): Promise<readonly StoredAnswer[]> {
  return await sql<StoredAnswer[]>`
    select w.alert_id, w.action, w.answered_at, w.answered_by
    from answers w
    where w.alert_id = any (${[...alertIds]}::uuid[])
    order by w.answered_at, w.answer_id
  `;
}
