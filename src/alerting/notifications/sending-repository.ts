import type { Sql } from "../../platform/database/database.ts";
import type { Outcome } from "../delivery/outcome.ts";
import type { Channel } from "./channels.ts";
import type { NotificationKind } from "./notification.ts";
import type { Progress, Step } from "./step.ts";

/** A notification that is to be sent: of an alert, or of a silence that is over. */
export type Notification = Progress & {
  readonly id: string;
  readonly channel: Channel;
  /** Null when nothing is to be sent any more. */
  readonly nextAttemptAt: Date | null;
} & (
    | { readonly kind: NotificationKind; readonly alertId: string; readonly silenceId: null }
    | { readonly kind: "silence"; readonly alertId: null; readonly silenceId: string }
  );

/** The notification with this id, or undefined when it is gone with its alert or silence. */
export async function findNotification(sql: Sql, id: string): Promise<Notification | undefined> {
  const [row] = await sql<[Notification?]>`
    select n.notification_id as id, n.alert_id as "alertId", n.silence_id as "silenceId", n.kind, n.channel, n.status, n.reason, n.attempt_count as attempts,
      n.unreached, n.expires_at as "expiresAt", n.next_attempt_at as "nextAttemptAt", n.created_at as "createdAt", n.late
    from notifications n
    where n.notification_id = ${id}
  `;
  return row;
}

/** Sets the next attempt of all that waits for a channel to now; outside of a transaction with their jobs, since those are locked first. */
export async function bringForward(sql: Sql, channel: Channel, now: Date): Promise<void> {
  await sql`
    update notifications n
    set next_attempt_at = ${now}
    where n.channel = ${channel}
      and n.next_attempt_at > ${now}
  `;
}

/** Locks a job until the end of the transaction: jobs come before notifications, and those before alerts, wherever more than one is locked. */
export async function lockJob(sql: Sql, jobId: number): Promise<void> {
  await sql`
    select 1
    from jobs j
    where j.job_id = ${jobId}
    for update
  `;
}

/** How far a notification is, locked until the end of the transaction; undefined when it is gone. */
export async function lockProgress(sql: Sql, id: string): Promise<Progress | undefined> {
  const [row] = await sql<[Progress?]>`
    select n.status, n.reason, n.attempt_count as attempts, n.unreached, n.expires_at as "expiresAt", n.created_at as "createdAt", n.late
    from notifications n
    where n.notification_id = ${id}
    for update
  `;
  return row;
}

/** Stores how far a notification is now. */
export async function storeStep(
  sql: Sql,
  id: string,
  step: Omit<Step, "job"> & { readonly attempts: number; readonly late: boolean; readonly finishedAt: Date | null },
): Promise<void> {
  await sql`
    update notifications n
    set status = ${step.status}, reason = ${step.reason}, unreached = ${step.unreached === null ? null : [...step.unreached]},
      next_attempt_at = ${step.nextAttemptAt}, attempt_count = ${step.attempts}, late = ${step.late}, finished_at = ${step.finishedAt}
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

/** Has notifications that were given up sent again, until a new expiry. Returns the alerts whose channels that changes. */
export async function reviveNotifications(sql: Sql, ids: readonly string[], expiresAt: Date, now: Date): Promise<readonly string[]> {
  const rows = await sql<{ alertId: string | null }[]>`
    update notifications n
    set status = 'waiting', expires_at = ${expiresAt}, next_attempt_at = ${now}, finished_at = null, late = true
    where n.notification_id = any (${[...ids]}::uuid[])
      and n.status in ('failed', 'expired')
    returning n.alert_id as "alertId"
  `;
  // in one order, since whoever asks locks them next
  return [...new Set(rows.flatMap(({ alertId }) => alertId ?? []))].toSorted();
}
