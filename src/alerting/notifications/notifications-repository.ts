import type { Sql } from "../../platform/database/database.ts";
import { insertDeliverJobs } from "../../work/jobs/deliver-repository.ts";
import type { ChannelTarget } from "../channels/targets.ts";
import { lockWithJoined, separateFrom } from "./joining-repository.ts";
import type { About, ChannelResult } from "./notification.ts";

/** Notifications to store. A row with a reason is unusable; the others wait. */
export type NewNotifications = About & {
  readonly expiresAt: Date;
  /** The judgement that they wait for, until `dueAt`; null or undefined: they are sent now. */
  readonly judgement?: { readonly eventId: number; readonly dueAt: Date } | null;
  readonly rows: readonly (ChannelTarget & { readonly id: string })[];
};

/**
 * Stores notifications, and a job for each that can be sent. If a mail or a message to the same phones about another alert of the same event
 * still waits, the new one is joined to it: the event makes one message. Webhooks get one message for each alert.
 */
export async function insertNotifications(
  sql: Sql,
  { alertId, silenceId, summaryDay, catchUpId, round, kind, expiresAt, judgement, rows }: NewNotifications,
  now: Date,
): Promise<void> {
  await sql`
    with given as (
      select g.notification_id, g.channel, g.channel_id, g.reason, g.recipient_id, g.position
      from unnest(
        ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ channel }) => channel)}::text[],
        ${rows.map(({ channelId }) => channelId)}::uuid[],
        ${rows.map(({ reason }) => reason)}::text[],
        ${rows.map(({ recipientId }) => recipientId ?? null)}::uuid[]
      ) with ordinality as g (notification_id, channel, channel_id, reason, recipient_id, position)
    ), first as (
      select distinct on (n.channel_id, n.channel) n.notification_id
      from alerts a
      join alerts o on o.event_id = a.event_id and o.alert_id <> a.alert_id
      join notifications n on n.alert_id = o.alert_id
      where a.alert_id = ${alertId ?? null}::uuid
        and n.kind = ${kind}
        and n.kind <> 'digest'
        and (n.channel <> 'webhook' or n.channel_id is not null)
        and n.status = 'waiting'
        and n.joined_to is null
      order by n.channel_id, n.channel, n.created_at, n.notification_id
    ), waiting as materialized (
      select n.notification_id, n.channel, n.channel_id, n.next_attempt_at
      from notifications n
      where n.notification_id in (select f.notification_id from first f)
        -- Another process may have sent it meanwhile
        and n.status = 'waiting'
        and n.joined_to is null
      order by n.notification_id
      for update of n
    ), stored as (
      insert into notifications (notification_id, alert_id, silence_id, summary_day, catch_up_id, round, recipient_id, kind, channel, channel_id, status, reason, next_attempt_at, expires_at, created_at, finished_at, joined_to)
      select g.notification_id, ${alertId ?? null}::uuid, ${silenceId ?? null}::uuid, ${summaryDay ?? null}::date, ${catchUpId ?? null}::uuid, ${round ?? 0},
        g.recipient_id, ${kind}, g.channel, g.channel_id,
        case when g.reason is null then 'waiting' else 'unusable' end,
        g.reason,
        case when g.reason is null then coalesce(w.next_attempt_at, ${now}::timestamptz) end,
        ${expiresAt},
        ${now},
        case when g.reason is null then null else ${now}::timestamptz end,
        case when g.reason is null then w.notification_id end
      from given g
      left join waiting w on ${sameTarget(sql)}
    )
    ${insertDeliverJobs(sql, { notificationId: sql`g.notification_id`, channel: sql`g.channel`, channelId: sql`g.channel_id` }, now, {
      availableAt: sql`${judgement?.dueAt ?? now}::timestamptz`,
      awaits: sql`${judgement ? String(judgement.eventId) : null}::text`,
    })}
    from given g
    left join waiting w on ${sameTarget(sql)}
    where g.reason is null
      and w.notification_id is null
    order by g.position
  `;
}

/** Whether the waiting message `w` goes where the new notification `g` goes, although the channel may have another name now. */
const sameTarget = (sql: Sql) =>
  sql`(w.channel_id = g.channel_id or (w.channel_id is null and g.channel_id is null and w.channel = g.channel))`;

/**
 * Cancels the waiting notifications of an alert, in the transaction that ends the alert, and deletes their jobs unless a worker has claimed
 * them: such a notification may still arrive. Notifications of other alerts that were joined to them get their own message. The alert's
 * digest is sent all the same.
 */
export async function cancelNotifications(sql: Sql, alertId: string, now: Date): Promise<void> {
  await lockWithJoined(sql, alertId);
  const unsent = await sql<{ id: string }[]>`
    with cancelled as (
      update notifications n
      set status = 'cancelled', next_attempt_at = null, finished_at = ${now}
      where n.alert_id = ${alertId}
        and n.kind in ('alert', 'update', 'repeat')
        and n.status = 'waiting'
      returning n.notification_id
    )
    delete from jobs j
    using cancelled c
    where j.queue = 'deliver'
      and j.subject = 'notification:' || c.notification_id
      and j.status = 'pending'
    returning c.notification_id as id
  `;
  await separateFrom(
    sql,
    unsent.map(({ id }) => id),
    now,
  );
}

/** Lists the results of these alerts' channels and of the webhooks that their rules name, by name. A repeated delivery replaces the failed one. */
export async function resultsOfAlerts(
  sql: Sql,
  alertIds: readonly string[],
): Promise<readonly (ChannelResult & { readonly alertId: string })[]> {
  return await sql<(ChannelResult & { readonly alertId: string })[]>`
    select n.alert_id as "alertId", n.channel, n.status, n.reason, n.attempt_count as attempts, n.late
    from notifications n
    where n.alert_id = any (${[...alertIds]}::uuid[])
      and n.kind = 'alert'
    union all
    select d.event_id::uuid, d.name, d.status, d.error_message, d.attempt_count, false
    from (
      select distinct on (d.event_id, d.webhook_id) d.event_id, w.name, d.error_message, d.attempt_count,
        case d.status when 'success' then 'sent' when 'failed' then 'failed' else 'waiting' end as status
      from webhook_deliveries d
      join webhooks w on w.webhook_id = d.webhook_id
      where d.event_id = any (${[...alertIds]}::text[])
        and d.event_type = 'alert_fired'
        and d.by_rule
      order by d.event_id, d.webhook_id, d.created_at desc, d.delivery_id desc
    ) d
    order by "alertId", channel
  `;
}

/**
 * Cancels the waiting notifications of a channel that is removed, with their jobs unless a worker has claimed them. Returns the ids of their
 * alerts, in order.
 */
export async function cancelForChannel(
  sql: Sql,
  { id, name }: { readonly id: string; readonly name: string },
  now: Date,
): Promise<readonly string[]> {
  await sql`
    delete from jobs j
    where j.queue = 'deliver'
      and j.lane = 'channel:' || ${id}::text
      and j.status in ('pending', 'dead')
  `;
  const rows = await sql<{ alertId: string | null }[]>`
    update notifications n
    set status = 'cancelled', reason = ${`the channel ${name} was removed`}, next_attempt_at = null, finished_at = ${now}
    where n.notification_id = any (array(
        select o.notification_id
        from notifications o
        where o.channel_id = ${id}
          and o.status = 'waiting'
        order by o.notification_id
        for update
      ))
    returning n.alert_id as "alertId"
  `;
  return [...new Set(rows.flatMap(({ alertId }) => alertId ?? []))].toSorted();
}
