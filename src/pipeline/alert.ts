import { evaluateEvent } from "../alerts/evaluation.ts";
import type { Clock } from "../clock/clock.ts";
import type { Database } from "../engines/database.ts";
import { evaluationOf } from "../events/evaluation-repository.ts";
import { buryJob, finishJob } from "../jobs/jobs-repository.ts";
import type { Delivery } from "../notifications/delivery.ts";
import type { Stage } from "./stage.ts";

/** What the alert stage works with. */
export interface AlertStageContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly processId: string;
  readonly delivery: Delivery;
  /** Rows were written: the journal has entries to number, there may be something to deliver. */
  readonly onStored: () => void;
}

/** Makes the stage that has the rules look at an event that was stored or scored, and raises the alerts that follow. */
export function createAlertStage({ db, clock, processId, delivery, onStored }: AlertStageContext): Stage {
  return {
    run: async (job) => {
      const evaluation = evaluationOf(job.subject);
      if (!evaluation) throw new Error(`no rule can look at ${job.subject}`);
      await db.transaction(async (sql) => {
        // the job before the event: the order of all who lock both
        await finishJob(sql, job.jobId, processId);
        await evaluateEvent(sql, { ...evaluation, delivery, now: clock.now() });
      });
      onStored();
    },
    giveUp: async (job, error) => {
      await db.query((sql) => buryJob(sql, job.jobId, processId, error));
      onStored();
    },
  };
}
