import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { noteWake } from "./wakes-repository.ts";

/** What is sent, and where to: columns of the rows from which the jobs are made. */
export type Sending =
  | { readonly deliveryId: SqlFragment; readonly webhookId: SqlFragment }
  | { readonly notificationId: SqlFragment; readonly channel: SqlFragment };

/**
 * The beginning of a statement that adds a job to the queue `deliver` for each row of the `from` that follows. One at a time goes to
 * one place: the webhook, or the channel, is the lane. The commit wakes the workers of the queue.
 */
export function insertDeliverJobs(sql: Sql, sending: Sending, now: Date): SqlFragment {
  const [lane, subject] =
    "deliveryId" in sending
      ? [laneOfWebhook(sql, sending.webhookId), sql`'delivery:' || ${sending.deliveryId}`]
      : [laneOfChannel(sql, sending.channel), sql`'notification:' || ${sending.notificationId}`];
  noteWake(sql, "jobs:deliver");
  return sql`
    insert into jobs (queue, lane, subject, priority, position, available_at)
    select 'deliver', ${lane}, ${subject}, 0, ${now}, ${now}
  `;
}

/** Has what waits to be sent again through a channel start now, since the channel works. Returns how many there are. */
export async function hastenChannel(sql: Sql, channel: string, now: Date): Promise<number> {
  const hastened = await sql`
    update jobs j
    set available_at = ${now}
    where j.queue = 'deliver'
      and j.lane = ${laneOfChannel(sql, sql`${channel}::text`)}
      and j.status = 'pending'
      and j.available_at > ${now}
  `;
  if (hastened.count > 0) noteWake(sql, "jobs:deliver");
  return hastened.count;
}

/** Deletes what waits to be sent to a webhook, dead letters included. */
export async function deleteJobsOfWebhook(sql: Sql, webhookId: string): Promise<void> {
  await sql`
    delete from jobs j
    where j.queue = 'deliver'
      and j.lane = ${laneOfWebhook(sql, sql`${webhookId}::text`)}
  `;
}

/** Keeps webhooks from being deleted until the end of the transaction: their rows come before the jobs that send to them. */
export async function keepWebhooks(sql: Sql): Promise<void> {
  await sql`select w.webhook_id from webhooks w order by w.webhook_id for key share`;
}

/** The lanes in which nothing is sent, since their webhooks are disabled. */
export async function closedLanes(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ lane: string }[]>`
    select ${laneOfWebhook(sql, sql`w.webhook_id`)} as lane
    from webhooks w
    where not w.enabled
  `;
  return rows.map(({ lane }) => lane);
}

function laneOfChannel(sql: Sql, channel: SqlFragment): SqlFragment {
  return sql`case ${channel} when 'webhook' then 'default-webhook' else ${channel} end`;
}

function laneOfWebhook(sql: Sql, webhookId: SqlFragment): SqlFragment {
  return sql`'webhook:' || ${webhookId}`;
}
