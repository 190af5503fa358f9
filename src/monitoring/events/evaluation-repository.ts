import type { Sql } from "../../platform/database/database.ts";
import { addJobs } from "../../work/jobs/jobs-repository.ts";
import { noteWake } from "../../work/jobs/wakes-repository.ts";

/**
 * Why rules evaluate an event: it was stored, it got a score, its analysis failed for good, it was restored, or it belongs to an open
 * incident that nothing suppresses any longer.
 */
export type EvaluationTrigger = "stored" | "scored" | "failed" | "restored" | "held_back";

/** A job of the queue `alert`: rules evaluate an event, or recipients are notified that its incident has ended. */
export interface AlertJob {
  readonly eventId: number;
  readonly trigger: EvaluationTrigger | "ended";
}

/** The failed condition of a rule that found a deleted event: the rule was not evaluated. */
export const eventDeleted = "the event was deleted before the rule looked at it";

/**
 * Queues the evaluation of the rules for this trigger, in the caller's transaction. Queues nothing if no enabled rule has this trigger.
 * Each call adds a separate job, so that a score that arrives during an evaluation is not missed. Returns whether anything was queued.
 */
export async function queueEvaluations(
  sql: Sql,
  eventIds: readonly number[],
  trigger: Exclude<EvaluationTrigger, "held_back">,
  now: Date,
): Promise<boolean> {
  if (eventIds.length === 0) return false;
  const isForRule = {
    stored: sql`r.risk_threshold is null`,
    // An escalating rule evaluates events again that it suppressed before the score was known, and a changed rule may have had a threshold
    // before.
    scored: sql`(r.risk_threshold is not null or r.escalate or r.version > 1)`,
    failed: sql`r.risk_threshold is null and r.version > 1`,
    restored: sql`exists (
      select from rule_verdicts v where v.event_id = e.event_id and v.rule_id = r.rule_id and v.failed_conditions = array[${eventDeleted}::text]
    )`,
  }[trigger];
  const queued = await sql`
    insert into jobs (queue, subject, priority, position, available_at)
    select 'alert', concat_ws(':', e.event_id, ${trigger}::text, ${now.getTime()}::bigint), 0, ${now}::timestamptz, ${now}::timestamptz
    from unnest(${[...eventIds]}::bigint[]) with ordinality as e (event_id, position)
    where exists (
      select 1
      from rules r
      where r.enabled
        and ${isForRule}
    )
    order by e.position
    on conflict (queue, subject) do nothing
  `;
  if (queued.count > 0) noteWake(sql, "jobs:alert");
  return queued.count > 0;
}

/**
 * Queues the news that the incidents of these events have ended, in the caller's transaction. A job and not a call: it runs after the
 * commit, when it sees every message that was sent before the end, and every message sent later sees the end.
 */
export async function queueEnds(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  const jobs = eventIds.map((id) => ({ subject: `${id}:ended:${now.getTime()}`, priority: 0, position: now, availableAt: now }));
  await addJobs(sql, "alert", jobs);
}

/** Reads the subject of a job of the queue `alert`; undefined for a subject that homesec did not write. */
export function alertJobOf(subject: string): AlertJob | undefined {
  const [, id, trigger] = /^(\d+):(?:(stored|scored|failed|restored|ended):\d+|held_back)$/.exec(subject) ?? [];
  return id === undefined ? undefined : { eventId: Number(id), trigger: (trigger ?? "held_back") as AlertJob["trigger"] };
}
