import type { Sql } from "../../platform/database/database.ts";
import { addJobs } from "../../work/jobs/jobs-repository.ts";
import { noteWake } from "../../work/jobs/wakes-repository.ts";

/**
 * Why rules evaluate an event: its visit goes on and an immediate rule may match, it was stored, it got a score, its analysis failed for good, it was restored, or it belongs to an open
 * incident that nothing suppresses any longer.
 */
export type EvaluationTrigger = "visit" | "stored" | "scored" | "failed" | "restored" | "held_back";

/**
 * A job of the queue `alert`: rules evaluate an event, recipients are notified that its incident has ended, or immediate rules evaluate an
 * open batch.
 */
export type AlertJob =
  | { readonly eventId: number; readonly trigger: Exclude<EvaluationTrigger, "visit"> | "ended" }
  | { readonly batchId: string; readonly trigger: "visit" };

/** The failed condition of a rule that found a deleted event: the rule was not evaluated. */
export const eventDeleted = "the event was deleted before the rule looked at it";

/**
 * Queues the evaluation of the rules for this trigger, in the caller's transaction. Queues nothing if no enabled rule has this trigger and
 * no update of an immediate alert depends on it.
 * Each call adds a separate job, so that a score that arrives during an evaluation is not missed. Returns whether anything was queued.
 */
export async function queueEvaluations(
  sql: Sql,
  eventIds: readonly number[],
  trigger: Exclude<EvaluationTrigger, "held_back" | "visit">,
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
  // A judgement also sends the updates of immediate alerts
  const isFollowed =
    trigger === "scored" || trigger === "failed"
      ? sql`exists (select from events o where o.event_id = e.event_id and o.closed_at is not null) or`
      : sql``;
  const queued = await sql`
    insert into jobs (queue, subject, priority, position, available_at)
    select 'alert', concat_ws(':', e.event_id, ${trigger}::text, ${now.getTime()}::bigint), 0, ${now}::timestamptz, ${now}::timestamptz
    from unnest(${[...eventIds]}::bigint[]) with ordinality as e (event_id, position)
    where ${isFollowed} exists (
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
 * Queues the evaluation of immediate rules for open batches, in the transaction that adds detections to them and holds the locks of their
 * cameras. Leaves out rules that the event of the batch has decided about already. A batch has one such job at a time: one that is running
 * waits for these locks before it reads the detections.
 */
export async function queueVisitEvaluations(
  sql: Sql,
  candidates: readonly { readonly batchId: string; readonly ruleId: string }[],
  now: Date,
): Promise<void> {
  if (candidates.length === 0) return;
  const queued = await sql`
    insert into jobs (queue, subject, priority, position, available_at)
    select 'alert', 'visit:' || c.batch_id, 0, ${now}::timestamptz, ${now}::timestamptz
    from unnest(${candidates.map(({ batchId }) => batchId)}::text[], ${candidates.map(({ ruleId }) => ruleId)}::uuid[]) as c (batch_id, rule_id)
    where not exists (
      select
      from events e
      join rule_verdicts v on v.event_id = e.event_id
      where e.batch_id = c.batch_id
        and v.rule_id = c.rule_id
        and v.outcome <> 'not_matched'
    )
    group by c.batch_id
    order by c.batch_id
    on conflict (queue, subject) do nothing
  `;
  if (queued.count > 0) noteWake(sql, "jobs:alert");
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
  const [, batchId] = /^visit:([0-9a-f-]{36})$/.exec(subject) ?? [];
  if (batchId !== undefined) return { batchId, trigger: "visit" };
  const [, id, trigger] = /^(\d+):(?:(stored|scored|failed|restored|ended):\d+|held_back)$/.exec(subject) ?? [];
  return id === undefined ? undefined : { eventId: Number(id), trigger: (trigger ?? "held_back") as Exclude<AlertJob["trigger"], "visit"> };
}
