import type { Sql } from "../../platform/database/database.ts";

/**
 * Holds back the notifications that are not sent yet: they become dead letters, so that a person can send or discard them. A mail that has
 * reached some recipients counts as sent. Returns the ids of their alerts, in order, and how many messages are held back.
 */
export async function holdNotifications(
  sql: Sql,
  reason: string,
  now: Date,
): Promise<{ readonly alertIds: readonly string[]; readonly messages: number }> {
  const rows = await sql<{ alertId: string | null; joined: boolean }[]>`
    update notifications n
    set status = case when n.status = 'sent' then 'sent' else 'failed' end, reason = ${reason}, unreached = null, next_attempt_at = null,
      finished_at = ${now}
    where n.status = 'waiting' or n.unreached is not null
    returning n.alert_id as "alertId", n.joined_to is not null or n.status = 'sent' as joined
  `;
  return {
    alertIds: [...new Set(rows.flatMap(({ alertId }) => alertId ?? []))].toSorted(),
    messages: rows.filter(({ joined }) => !joined).length,
  };
}

/** Holds back the webhook deliveries that are not made yet, as dead letters. Returns how many. */
export async function holdDeliveries(sql: Sql, reason: string): Promise<number> {
  const held = await sql`
    update webhook_deliveries d
    set status = 'failed', error_message = ${reason}, next_retry_at = null
    where d.status in ('pending', 'retrying')
  `;
  return held.count;
}

/** Makes the jobs of messages that are held back dead letters, and deletes those whose message counts as sent. */
export async function holdJobs(sql: Sql, reason: string): Promise<void> {
  await sql`
    delete from jobs j
    where j.queue = 'deliver'
      and j.subject in (select 'notification:' || n.notification_id from notifications n where n.status = 'sent')
  `;
  await sql`
    update jobs j
    set status = 'dead', claimed_by = null, offered_at = null, awaits = null, last_error = ${reason}
    where j.queue = 'deliver'
      and j.status <> 'dead'
  `;
}

/** Drops the digests that are not sent yet, the summaries of silences that have ended, and what is due for the recipients of alerts. */
export async function dropSummaries(sql: Sql, now: Date): Promise<void> {
  await sql`delete from digests d where d.closed_at is null`;
  await sql`update alert_recipients t set due_at = null, escalate_at = null where t.due_at is not null or t.escalate_at is not null`;
  await sql`
    update silences s
    set ended_at = coalesce(s.ended_at, s.ends_at), told_at = ${now}
    where s.told_at is null
      and coalesce(s.ended_at, s.ends_at) <= ${now}
  `;
}
