import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { noteWake } from "./wakes-repository.ts";

/** The message to send and its target: columns of the rows that become jobs. */
export type Sending =
  | { readonly deliveryId: SqlFragment; readonly webhookId: SqlFragment }
  /** A message on a phone that is changed. */
  | { readonly editOf: SqlFragment; readonly channelId: SqlFragment }
  /** `channelId`: the channel to phones, null for the neutral names. */
  | { readonly notificationId: SqlFragment; readonly channel: SqlFragment; readonly channelId: SqlFragment };

/** When a message becomes due, and the event whose judgement it waits for until then: columns of the rows that become jobs. */
export interface Waiting {
  readonly availableAt: SqlFragment;
  /** The id of the event as text; null for a message that is due now. */
  readonly awaits: SqlFragment;
}

/**
 * Returns the beginning of a statement that adds a job to the queue `deliver` for each row of the `from` clause that follows. The webhook
 * or channel is the job's lane, so each target gets one message at a time. The commit wakes the workers of the queue.
 */
export function insertDeliverJobs(sql: Sql, sending: Sending, now: Date, waiting?: Waiting): SqlFragment {
  const [lane, subject] = laneAndSubject(sql, sending);
  noteWake(sql, "jobs:deliver");
  return sql`
    insert into jobs (queue, lane, subject, priority, position, available_at, awaits)
    select 'deliver', ${lane}, ${subject}, 0, ${now}, ${waiting?.availableAt ?? sql`${now}::timestamptz`}, ${waiting?.awaits ?? sql`null`}
  `;
}

function laneAndSubject(sql: Sql, sending: Sending): readonly [SqlFragment, SqlFragment] {
  if ("deliveryId" in sending) return [laneOfWebhook(sql, sending.webhookId), sql`'delivery:' || ${sending.deliveryId}`];
  if ("editOf" in sending) return [sql`'channel:' || ${sending.channelId}`, sql`'edit:' || ${sending.editOf}`];
  return [laneOfChannel(sql, sending.channel, sending.channelId), sql`'notification:' || ${sending.notificationId}`];
}

/**
 * Ends the wait of the messages that no worker has claimed and that wait for the judgement of this event: of all, or of those to webhooks.
 * Returns the subjects of their jobs. Never waits for a lock: a locked job is being claimed or deleted.
 */
export async function releaseDeliverJobs(
  sql: Sql,
  eventId: string,
  now: Date,
  which: "all" | "webhooks" = "all",
): Promise<readonly string[]> {
  const released = await sql<{ subject: string }[]>`
    update jobs j
    set available_at = least(j.available_at, ${now}), awaits = null
    -- An array and no join, and the status only outside: as long as the table has no statistics, all pending jobs would be read
    where j.job_id = any (array(
        select w.job_id
        from jobs w
        where w.awaits = ${eventId}
          ${which === "webhooks" ? sql`and starts_with(w.subject, 'delivery:')` : sql``}
        for update skip locked
      ))
      and j.status = 'pending'
    returning j.subject
  `;
  if (released.length > 0) noteWake(sql, "jobs:deliver");
  return released.map(({ subject }) => subject);
}

/** Makes the messages that wait for a retry through a channel start now, because the channel works again. Returns their number. */
export async function promoteChannel(
  sql: Sql,
  { channel, channelId }: { readonly channel: string; readonly channelId: string | null },
  now: Date,
): Promise<number> {
  const promoted = await sql`
    update jobs j
    set available_at = ${now}
    where j.queue = 'deliver'
      and j.lane = ${laneOfChannel(sql, sql`${channel}::text`, sql`${channelId}::uuid`)}
      and j.status = 'pending'
      and j.available_at > ${now}
      and j.awaits is null
  `;
  if (promoted.count > 0) noteWake(sql, "jobs:deliver");
  return promoted.count;
}

/** Deletes all jobs that send to a webhook, including dead letters. */
export async function deleteJobsOfWebhook(sql: Sql, webhookId: string): Promise<void> {
  await sql`
    delete from jobs j
    where j.queue = 'deliver'
      and j.lane = ${laneOfWebhook(sql, sql`${webhookId}::text`)}
  `;
}

/** Prevents the deletion of webhooks until the transaction ends. Lock order: webhooks before the jobs that send to them. */
export async function keepWebhooks(sql: Sql): Promise<void> {
  await sql`select w.webhook_id from webhooks w order by w.webhook_id for key share`;
}

/** Returns the lanes of disabled webhooks, which send nothing. */
export async function closedLanes(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ lane: string }[]>`
    select ${laneOfWebhook(sql, sql`w.webhook_id`)} as lane
    from webhooks w
    where not w.enabled
  `;
  return rows.map(({ lane }) => lane);
}

/** All mails have one lane: those to DEFAULT_EMAIL_RECIPIENTS, and those to an address. */
function laneOfChannel(sql: Sql, channel: SqlFragment, channelId: SqlFragment): SqlFragment {
  return sql`coalesce('channel:' || ${channelId},
    case when ${channel} = 'webhook' then 'default-webhook' when strpos(${channel}, '@') > 0 then 'email' else ${channel} end)`;
}

/** Returns the lane of a webhook. */
export function laneOfWebhook(sql: Sql, webhookId: SqlFragment): SqlFragment {
  return sql`'webhook:' || ${webhookId}`;
}
