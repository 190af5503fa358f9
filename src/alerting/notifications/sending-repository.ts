import type { Sql } from "../../platform/database/database.ts";
import type { ChannelTarget } from "../channels/targets.ts";
import type { Outcome } from "../delivery/outcome.ts";
import type { NextState } from "./next-state.ts";
import type { Notification, Progress } from "./notification.ts";

/** Finds a notification; undefined when it was deleted with its subject. */
export async function findNotification(sql: Sql, id: string): Promise<Notification | undefined> {
  const [row] = await sql<[Notification?]>`
    select n.notification_id as id, n.alert_id as "alertId", n.silence_id as "silenceId", n.summary_day::text as "summaryDay",
      n.catch_up_id as "catchUpId", n.round, n.recipient_id as "recipientId", n.kind, n.channel, n.channel_id as "channelId", n.status, n.reason, n.attempt_count as attempts,
      n.unreached, n.expires_at as "expiresAt", n.next_attempt_at as "nextAttemptAt", n.created_at as "createdAt", n.late,
      e.event_id as "eventId", e.batch_id as trace
    from notifications n
    left join alerts a on a.alert_id = n.alert_id
    left join events e on e.event_id = a.event_id
    where n.notification_id = ${id}
  `;
  return row;
}

/** Makes the next attempt of every waiting notification of a channel due now. Not in one transaction with their jobs, which would have to be locked first. */
export async function bringForward(
  sql: Sql,
  { channel, channelId }: Pick<ChannelTarget, "channel" | "channelId">,
  now: Date,
): Promise<void> {
  await sql`
    update notifications n
    set next_attempt_at = ${now}
    where ${channelId === null ? sql`(n.channel = ${channel} or ${channel} = 'email' and strpos(n.channel, '@') > 0) and n.channel_id is null` : sql`n.channel_id = ${channelId} and n.status = 'waiting'`}
      and n.next_attempt_at > ${now}
  `;
}

/** Locks a job until the end of the transaction. Jobs are locked before notifications, and notifications before alerts (decision 8). */
export async function lockJob(sql: Sql, jobId: number): Promise<void> {
  await sql`
    select 1
    from jobs j
    where j.job_id = ${jobId}
    for update
  `;
}

/** The progress of a notification, and of those that are joined to it. */
export type LockedProgress = Progress & Pick<Notification, "id" | "alertId">;

/** Locks a notification and those that are joined to it until the end of the transaction. Empty when it was deleted. */
export async function lockProgress(sql: Sql, id: string): Promise<readonly LockedProgress[]> {
  return await sql<LockedProgress[]>`
    select n.notification_id as id, n.alert_id as "alertId", n.status, n.reason, n.attempt_count as attempts, n.unreached,
      n.expires_at as "expiresAt", n.created_at as "createdAt", n.late
    from notifications n
    where n.notification_id = ${id}
      or n.joined_to = ${id}
    order by n.notification_id
    for update
  `;
}

/** Stores the next state of a notification. */
export async function storeProgress(
  sql: Sql,
  id: string,
  next: Omit<NextState, "job"> & {
    readonly nextAttemptAt: Date | null;
    readonly attempts: number;
    readonly late: boolean;
    readonly finishedAt: Date | null;
    /** The service's id of the message; undefined keeps the stored one. */
    readonly reference?: string | undefined;
  },
): Promise<void> {
  await sql`
    update notifications n
    set status = ${next.status}, reason = ${next.reason}, unreached = ${next.unreached === null ? null : [...next.unreached]},
      next_attempt_at = ${next.nextAttemptAt}, attempt_count = ${next.attempts}, late = ${next.late}, finished_at = ${next.finishedAt},
      reference = coalesce(${next.reference ?? null}, n.reference)
    where n.notification_id = ${id}
  `;
}

/** An attempt that came to an outcome. */
export interface StoredAttempt {
  readonly attempt: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly outcome: Outcome["kind"];
  readonly answer: string;
}

/** Stores an attempt. */
export async function addAttempt(sql: Sql, id: string, attempt: StoredAttempt): Promise<void> {
  await sql`
    insert into notification_attempts (notification_id, attempt, started_at, finished_at, outcome, answer)
    values (${id}, ${attempt.attempt}, ${attempt.startedAt}, ${attempt.finishedAt}, ${attempt.outcome}, ${attempt.answer})
  `;
}

/** Queues failed and expired notifications again, with those joined to them, until a new expiry. Returns the ids of their alerts. */
export async function reviveNotifications(sql: Sql, ids: readonly string[], expiresAt: Date, now: Date): Promise<readonly string[]> {
  const rows = await sql<{ alertId: string | null }[]>`
    update notifications n
    set status = 'waiting', expires_at = ${expiresAt}, next_attempt_at = ${now}, finished_at = null, late = true
    where (n.notification_id = any (${[...ids]}::uuid[]) or n.joined_to = any (${[...ids]}::uuid[]))
      and n.status in ('failed', 'expired')
    returning n.alert_id as "alertId"
  `;
  // In a fixed order, since the caller locks these alerts next
  return [...new Set(rows.flatMap(({ alertId }) => alertId ?? []))].toSorted();
}
