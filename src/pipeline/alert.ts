import { type Evaluated, evaluateEvent } from "../alerts/evaluation.ts";
import type { Clock } from "../clock/clock.ts";
import type { Database } from "../engines/database.ts";
import { evaluationOf } from "../events/evaluation-repository.ts";
import { buryJob, finishJob } from "../jobs/jobs-repository.ts";
import type { Log } from "../log/log.ts";
import type { Delivery } from "../notifications/delivery.ts";
import type { Stage } from "./stage.ts";

/** What the alert stage works with. */
export interface AlertStageContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly delivery: Delivery;
  /** Rows were written: the journal has entries to number, there may be something to deliver. */
  readonly onStored: () => void;
  /** What the rules said. */
  readonly onVerdicts: (verdicts: Evaluated["verdicts"]) => void;
}

const sentences = {
  raised: "a rule raised an alert",
  suppressed: "an alert is held back",
  not_matched: "a rule does not match",
} as const;

/** Makes the stage that has the rules look at an event that was stored or scored, and raises the alerts that follow. */
export function createAlertStage({ db, clock, log, delivery, onStored, onVerdicts }: AlertStageContext): Stage {
  return {
    run: async (job) => {
      const evaluation = evaluationOf(job.subject);
      if (!evaluation) throw new Error(`no rule can look at ${job.subject}`);
      const evaluated = await db.transaction(async (sql) => {
        // the job before the event: the order of all who lock both
        await finishJob(sql, job);
        return await evaluateEvent(sql, { ...evaluation, delivery, now: clock.now() });
      });
      onStored();
      if (!evaluated) return;
      onVerdicts(evaluated.verdicts);
      const { eventId: event, trigger } = evaluation;
      const about = { stage: "alert", trace: evaluated.batchId ?? undefined, event, camera: evaluated.cameraId, trigger };
      for (const { outcome, rule_id, rule_name, alert_id, suppressed_by, silence_id } of evaluated.verdicts) {
        const why = { alert: alert_id ?? undefined, held_back_by: suppressed_by ?? undefined, silence: silence_id ?? undefined };
        log[outcome === "not_matched" ? "debug" : "info"]({ ...about, rule: rule_id, rule_name, ...why }, sentences[outcome]);
      }
    },
    giveUp: async (job, error) => {
      await db.query((sql) => buryJob(sql, job, error));
      onStored();
    },
  };
}
