import { type Evaluated, type Evaluation, evaluateEvent } from "../alerting/alerts/evaluation.ts";
import { emitUpdates } from "../alerting/alerts/updates.ts";
import { evaluateVisit } from "../alerting/alerts/visit.ts";
import type { NotificationSettings } from "../alerting/channels/availability.ts";
import { insertEnds } from "../alerting/notifications/ends-repository.ts";
import { insertUpdates } from "../alerting/notifications/updates-repository.ts";
import type { Clock } from "../base/clock/clock.ts";
import type { Log } from "../base/log/log.ts";
import { findVisit, lockBatchesOf } from "../monitoring/batches/batches-repository.ts";
import { alertJobOf } from "../monitoring/events/evaluation-repository.ts";
import type { Database, Sql } from "../platform/database/database.ts";
import { releaseDeliverJobs } from "../work/jobs/deliver-repository.ts";
import { buryJob, type ClaimedJob, finishJob } from "../work/jobs/jobs-repository.ts";
import type { Stage } from "./stage.ts";

/** Dependencies of the alert stage. */
export interface AlertStageContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly delivery: NotificationSettings;
  /** Called with the verdicts of the rules. */
  readonly onVerdicts: (verdicts: Evaluated["verdicts"]) => void;
}

const sentences = {
  raised: "a rule raised an alert",
  suppressed: "an alert was suppressed",
  not_matched: "a rule did not match",
} as const;

/** Makes the stage that evaluates the rules for an event, raises the alerts that follow, and reports the end of incidents. */
export function createAlertStage({ db, clock, log, delivery, onVerdicts }: AlertStageContext): Stage {
  return {
    run: async (job) => {
      const asked = alertJobOf(job.subject);
      if (!asked) throw new Error(`unknown job ${job.subject} in the alert queue`);
      const { trigger } = asked;
      const evaluated = await db.transaction(async (sql) => {
        if (trigger === "visit") return await evaluateOpenBatch(sql, job, asked.batchId, { delivery, now: clock.now() });
        const { eventId } = asked;
        // Lock order: the job before the event.
        await finishJob(sql, job);
        if (trigger === "ended") {
          await insertEnds(sql, { eventIds: [eventId] }, clock.now());
          return undefined;
        }
        const verdicts = await evaluateEvent(sql, { eventId, trigger, delivery, now: clock.now() });
        // The mails of rules that needed no score waited for those that did
        if (trigger === "scored" || trigger === "failed") {
          await releaseDeliverJobs(sql, String(eventId), clock.now());
          await insertUpdates(sql, { eventId }, clock.now());
          await emitUpdates(sql, eventId, clock.now());
        }
        return verdicts;
      });
      if (!evaluated) return;
      onVerdicts(evaluated.verdicts);
      const about = {
        stage: "alert",
        trace: evaluated.batchId ?? undefined,
        event: evaluated.eventId,
        camera: evaluated.cameraId,
        trigger,
      };
      for (const { outcome, rule_id, rule_name, alert_id, suppressed_by, silence_id } of evaluated.verdicts) {
        const why = { alert: alert_id ?? undefined, held_back_by: suppressed_by ?? undefined, silence: silence_id ?? undefined };
        log[outcome === "not_matched" ? "debug" : "info"]({ ...about, rule: rule_id, rule_name, ...why }, sentences[outcome]);
      }
    },
    stopRetrying: async (job, error) => {
      await db.query((sql) => buryJob(sql, job, error));
    },
  };
}

/** Evaluates the immediate rules for an open batch. One that has closed meanwhile has its event, which all rules evaluate. */
async function evaluateOpenBatch(
  sql: Sql,
  job: ClaimedJob,
  batchId: string,
  evaluation: Pick<Evaluation, "delivery" | "now">,
): Promise<Evaluated | undefined> {
  const found = await findVisit(sql, batchId);
  // Lock order: batches before the job. What is read before the lock may have changed since.
  if (found) await lockBatchesOf(sql, [found.cameraId]);
  await finishJob(sql, job);
  const visit = found && (await findVisit(sql, batchId));
  return visit && (await evaluateVisit(sql, visit, evaluation));
}
