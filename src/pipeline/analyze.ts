import type { Clock } from "../base/clock/clock.ts";
import type { Log } from "../base/log/log.ts";
import { factsOf, recordAttempt, type Subject, storeAnalysisFailure, storeVerdict, waitingSince } from "../monitoring/events/analysis.ts";
import type { Crop } from "../monitoring/events/crops.ts";
import { emitAboutEvents } from "../monitoring/events/messages.ts";
import type { Judgement, LanguageModel } from "../monitoring/upstream/language-model.ts";
import type { Settings } from "../platform/config/settings.ts";
import type { Database, Sql } from "../platform/database/database.ts";
import { releaseDeliverJobs } from "../work/jobs/deliver-repository.ts";
import { buryJob, type ClaimedJob, finishJob, releaseJob } from "../work/jobs/jobs-repository.ts";
import { repeatJob } from "../work/jobs/repeat-repository.ts";
import { appendToJournal } from "../work/journal/journal.ts";
import { type ChainJudgement, type JudgeChain, judgeInTurn } from "./judge-chain.ts";
import { afterNoAnswer, type Stage, StageAborted } from "./stage.ts";

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
  readonly chain: JudgeChain;
  /** The pictures of an event for a model that sees, as they may leave the house; absent if none may. */
  readonly cropsOf?: ((eventId: number, signal: AbortSignal) => Promise<readonly Crop[]>) | undefined;
}

/** A claimed event, and since when it has waited for the first language model. */
interface Claimed extends Subject {
  readonly waitingSince: Date;
}

/** A judgement and the pictures that were made for it: a model sees the first ones. */
type Judged = ChainJudgement & { readonly crops: readonly Crop[] };

/** Creates the stage that has the language model judge an event, and stores score, level, summary, reasoning and factors. */
export function createAnalyzeStage(context: AnalyzeStageContext): Stage {
  return new AnalyzeStage(context);
}

class AnalyzeStage implements Stage {
  readonly #context: AnalyzeStageContext;

  constructor(context: AnalyzeStageContext) {
    this.#context = context;
  }

  async run(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#context;
    const startedAt = clock.now();
    const subject = await db.transaction((sql) => this.#begin(sql, job, startedAt));
    if (!subject) return;
    const judgement = await this.#judge(Number(job.subject), subject, signal);
    if (signal.aborted) throw new StageAborted(`the analysis of event ${job.subject} was aborted`);
    const finishedAt = clock.now();
    await db.transaction((sql) => this.#store(sql, job, subject, judgement, { startedAt, finishedAt }));
    this.#log(job, subject, judgement.answer, finishedAt.getTime() - startedAt.getTime());
  }

  async stopRetrying(job: ClaimedJob, error: string): Promise<void> {
    const { db, clock } = this.#context;
    await db.transaction((sql) => fail(sql, job, error, clock.now()));
  }

  async #judge(eventId: number, subject: Claimed, signal: AbortSignal): Promise<Judged> {
    const { languageModel, chain, cropsOf, clock } = this.#context;
    const waitedMs = (): number => clock.now().getTime() - subject.waitingSince.getTime();
    let crops: readonly Crop[] | undefined;
    const pictures = async (): Promise<readonly Crop[]> => {
      crops ??= (await cropsOf?.(eventId, signal)) ?? [];
      return crops;
    };
    const asked = { facts: subject.facts, pictures, waitedMs, isRejudged: subject.isJudged };
    return { ...(await judgeInTurn(languageModel, chain, asked, signal)), crops: crops ?? [] };
  }

  /** Announces the analysis and returns what to judge; finishes the job if its event is gone. */
  async #begin(sql: Sql, job: ClaimedJob, startedAt: Date): Promise<Claimed | undefined> {
    const eventId = Number(job.subject);
    const subject = await factsOf(sql, eventId, this.#context.timeZone);
    if (!subject) {
      await finishJob(sql, job);
      return undefined;
    }
    const data = { event_id: eventId, batch_id: subject.batchId, camera_id: subject.cameraId, attempt: job.attempts };
    // While the language model is down, homesec retries the event. It reports the start only once.
    if (job.deferrals === 0) {
      await appendToJournal(sql, [{ type: "batch.analysis_started", data }], startedAt);
      await emitAboutEvents(sql, [{ type: "batch_analysis_started", subject: job.subject, about: eventId, data }], startedAt);
    }
    return { ...subject, waitingSince: (await waitingSince(sql, eventId)) ?? startedAt };
  }

  async #store(
    sql: Sql,
    job: ClaimedJob,
    subject: Claimed,
    { answer, substituteFor, crops }: Judged,
    times: { readonly startedAt: Date; readonly finishedAt: Date },
  ): Promise<void> {
    const attempt = { eventId: Number(job.subject), ...times };
    const now = times.finishedAt;
    if (answer.kind === "unavailable") {
      const next = afterNoAnswer(job, answer, { lastSuccess: this.#context.languageModelAnsweredAt(), now });
      // A breaker that stays open makes no attempt: one line in the history is enough
      if (answer.reason !== "breaker_open" || job.deferrals === 0) {
        await recordAttempt(sql, { ...attempt, outcome: "unavailable", analyzedBy: null, error: answer.detail, answer: null });
      }
      if (next.stopRetrying) await fail(sql, job, answer.detail, now);
      else {
        const availableAt = this.#notAfterPatience(subject, next.availableAt);
        await releaseJob(sql, job, { availableAt, error: answer.detail, attempt: next.attempt });
      }
      // The judgement is not near: the messages about the event go out without it
      await releaseDeliverJobs(sql, job.subject, now);
      return;
    }
    const { analyzedBy } = answer;
    const { eventId } = attempt;
    // A person may have asked for another analysis while this one ran.
    const isRepeated = await repeatJob(sql, job, now);
    if (answer.kind === "judged") {
      if (!isRepeated && substituteFor && this.#context.chain.rejudges) {
        const next = afterNoAnswer(job, { ...substituteFor, suspect: false }, { lastSuccess: null, now });
        const availableAt = next.stopRetrying ? now : next.availableAt;
        await releaseJob(sql, job, { availableAt, error: substituteFor.detail, attempt: "deferred" });
      } else if (!isRepeated) await finishJob(sql, job);
      const shown = answer.pictures ? crops.slice(0, answer.pictures).map(({ detectionId }) => detectionId) : null;
      await recordAttempt(sql, { ...attempt, outcome: "completed", analyzedBy, error: answer.note ?? null, answer: answer.answer, shown });
      const thresholds = this.#context.settings.current().riskScoreThresholds;
      await storeVerdict(sql, { eventId, attempt: job.attempts, verdict: answer.verdict, analyzedBy, thresholds, isRepeated, now });
      return;
    }
    if (!isRepeated) await buryJob(sql, job, answer.error);
    await recordAttempt(sql, { ...attempt, outcome: answer.kind, analyzedBy, error: answer.error, answer: answer.answer });
    if (!isRepeated) await storeAnalysisFailure(sql, { eventId, attempt: job.attempts, error: answer.error, now });
  }

  /** Returns when to try again: not after the moment when the built-in scorer steps in. */
  #notAfterPatience({ waitingSince: since, isJudged }: Claimed, availableAt: Date): Date {
    const { isBuiltIn, patienceMs } = this.#context.chain;
    if (isBuiltIn || patienceMs === 0 || isJudged) return availableAt;
    return new Date(Math.min(availableAt.getTime(), since.getTime() + patienceMs));
  }

  /** Logs the outcome. Only the first attempt of an event that waits for the language model is logged at level info. */
  #log(job: ClaimedJob, { batchId, cameraId }: Subject, answer: Judgement, took_ms: number): void {
    const { log } = this.#context;
    const fields = { stage: "analyze", trace: batchId ?? undefined, event: Number(job.subject), camera: cameraId, took_ms };
    if (answer.kind === "judged") {
      const { verdict, analyzedBy, note } = answer;
      log.info({ ...fields, risk_score: verdict.riskScore, analyzed_by: analyzedBy, ...(note && { note }) }, "an event was scored");
    } else if (answer.kind === "unavailable") {
      log[job.deferrals === 0 ? "info" : "debug"]({ ...fields, reason: answer.reason }, "an event waits for the language model");
    } else {
      log.warn({ ...fields, reason: answer.kind, error: answer.error }, "an event could not be scored");
    }
  }
}

/** Moves the job to the dead letters and stores why its event has no score, unless another analysis was requested meanwhile. */
async function fail(sql: Sql, job: ClaimedJob, error: string, now: Date): Promise<void> {
  if (await repeatJob(sql, job, now)) return;
  await buryJob(sql, job, error);
  await storeAnalysisFailure(sql, { eventId: Number(job.subject), attempt: job.attempts, error, now });
}
