import type { Clock } from "../base/clock/clock.ts";
import type { Log } from "../base/log/log.ts";
import { factsOf, recordAttempt, storeAnalysisFailure, storeVerdict } from "../monitoring/events/analysis.ts";
import type { Judgement, LanguageModel } from "../monitoring/upstream/language-model.ts";
import type { Settings } from "../platform/config/settings.ts";
import type { Database } from "../platform/database/database.ts";
import { buryJob, type ClaimedJob, finishJob, releaseJob } from "../work/jobs/jobs-repository.ts";
import { StageAborted } from "../work/jobs/stage-aborted.ts";
import { appendToJournal } from "../work/journal/journal.ts";
import { emit } from "../work/outbox/outbox.ts";
import { afterNoAnswer, type Stage } from "./stage.ts";

/** Dependencies of the analyze stage. */
export interface AnalyzeStageContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  readonly timeZone: string;
  readonly languageModel: LanguageModel;
  /** Time of the last successful answer of the language model, for any event. */
  readonly languageModelAnsweredAt: () => Date | null;
}

/** Creates the stage that has the language model judge an event, and stores score, level, summary, reasoning and factors. */
export function createAnalyzeStage(context: AnalyzeStageContext): Stage {
  const { db, clock } = context;

  const run = async (job: ClaimedJob, signal: AbortSignal): Promise<void> => {
    const eventId = Number(job.subject);
    const startedAt = clock.now();
    const subject = await db.transaction(async (sql) => {
      const facts = await factsOf(sql, eventId, context.timeZone);
      if (!facts) {
        await finishJob(sql, job);
        return undefined;
      }
      const data = { event_id: eventId, batch_id: facts.batchId, camera_id: facts.cameraId, attempt: job.attempts };
      // While the language model is down, homesec retries the event. It reports the start only once.
      if (job.deferrals === 0) {
        await appendToJournal(sql, [{ type: "batch.analysis_started", data }], startedAt);
        await emit(sql, [{ type: "batch_analysis_started", eventId: String(eventId), data }], startedAt);
      }
      return { facts: facts.facts, data };
    });
    if (!subject) return;

    const answer = await context.languageModel.judge(subject.facts, signal);
    if (signal.aborted) throw new StageAborted(`the analysis of event ${eventId} was aborted`);

    const finishedAt = clock.now();
    const attempt = { eventId, startedAt, finishedAt };
    await db.transaction(async (sql) => {
      switch (answer.kind) {
        case "judged":
          await finishJob(sql, job);
          await recordAttempt(sql, { ...attempt, outcome: "completed", analyzedBy: answer.analyzedBy, error: null, answer: answer.answer });
          await storeVerdict(sql, {
            eventId,
            attempt: job.attempts,
            verdict: answer.verdict,
            analyzedBy: answer.analyzedBy,
            thresholds: context.settings.current().riskScoreThresholds,
            now: finishedAt,
          });
          return;
        case "unreadable":
        case "rejected": {
          await buryJob(sql, job, answer.error);
          await recordAttempt(sql, {
            ...attempt,
            outcome: answer.kind,
            analyzedBy: answer.analyzedBy,
            error: answer.error,
            answer: answer.answer,
          });
          await storeAnalysisFailure(sql, { eventId, attempt: job.attempts, error: answer.error, now: finishedAt });
          return;
        }
        case "unavailable": {
          const next = afterNoAnswer(job, answer, { lastSuccess: context.languageModelAnsweredAt(), now: finishedAt });
          await recordAttempt(sql, { ...attempt, outcome: "unavailable", analyzedBy: null, error: answer.detail, answer: null });
          if (next.giveUp) {
            await buryJob(sql, job, answer.detail);
            await storeAnalysisFailure(sql, { eventId, attempt: job.attempts, error: answer.detail, now: finishedAt });
            return;
          }
          await releaseJob(sql, job, { availableAt: next.availableAt, error: answer.detail, attempt: next.attempt });
          return;
        }
      }
    });
    logOutcome(job, subject.data, answer, finishedAt.getTime() - startedAt.getTime());
  };

  /** Logs the outcome. Only the first attempt of an event that waits for the language model is logged at level info. */
  const logOutcome = (
    job: ClaimedJob,
    subject: { event_id: number; batch_id: string | null; camera_id: string },
    answer: Judgement,
    took_ms: number,
  ): void => {
    const about = { stage: "analyze", trace: subject.batch_id ?? undefined, event: subject.event_id, camera: subject.camera_id, took_ms };
    switch (answer.kind) {
      case "judged":
        context.log.info({ ...about, risk_score: answer.verdict.riskScore, analyzed_by: answer.analyzedBy }, "an event was judged");
        return;
      case "unavailable":
        context.log[job.deferrals === 0 ? "info" : "debug"]({ ...about, reason: answer.reason }, "an event waits for the language model");
        return;
      default:
        context.log.warn({ ...about, reason: answer.kind, error: answer.error }, "an event could not be judged");
    }
  };

  const giveUp = async (job: ClaimedJob, error: string): Promise<void> => {
    await db.transaction(async (sql) => {
      await buryJob(sql, job, error);
      await storeAnalysisFailure(sql, { eventId: Number(job.subject), attempt: job.attempts, error, now: clock.now() });
    });
  };

  return { run, giveUp };
}
