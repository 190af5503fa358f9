import { type Evaluated, evaluateEvent } from "../alerting/alerts/evaluation.ts";
import type { NotificationSettings } from "../alerting/notifications/channels.ts";
import { insertEnds } from "../alerting/notifications/ends-repository.ts";
import type { Clock } from "../base/clock/clock.ts";
import type { Log } from "../base/log/log.ts";
import { alertJobOf } from "../monitoring/events/evaluation-repository.ts";
import type { Database } from "../platform/database/database.ts";
import { releaseDeliverJobs } from "../work/jobs/deliver-repository.ts";
import { buryJob, finishJob } from "../work/jobs/jobs-repository.ts";
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
      const { eventId, trigger } = asked;
      const evaluated = await db.transaction(async (sql) => {
        // Lock order: the job before the event.
        await finishJob(sql, job);
        if (trigger === "ended") {
          await insertEnds(sql, { eventIds: [eventId] }, clock.now());
          return undefined;
        }
        const verdicts = await evaluateEvent(sql, { eventId, trigger, delivery, now: clock.now() });
        // The mails of rules that needed no score waited for those that did
        if (trigger === "scored" || trigger === "failed") await releaseDeliverJobs(sql, String(eventId), clock.now());
        return verdicts;
      });
      if (!evaluated) return;
      onVerdicts(evaluated.verdicts);
      const about = { stage: "alert", trace: evaluated.batchId ?? undefined, event: eventId, camera: evaluated.cameraId, trigger };
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
