import type { JournalEntry } from "../../contract/live.ts";
import type { Sql } from "../../platform/database/database.ts";
import { addJobs, priorities } from "../../work/jobs/jobs-repository.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { unusualnessOf } from "../baselines/unusualness.ts";
import { notesOf } from "../receivers/notes-repository.ts";
import type { Verdict } from "../upstream/answer.ts";
import type { EventFacts } from "../upstream/facts.ts";
import { findSubject, parkedInPictures, parkedSinceOf, sightingsOf } from "./analysis-repository.ts";
import { eventsBeingEnriched } from "./enrichment-repository.ts";
import { queueEvaluations } from "./evaluation-repository.ts";
import { backlogAfterMs, type Event, type RiskThresholds, riskLevel } from "./event.ts";
import { markAnalysisFailed, updateAnalysis } from "./events-repository.ts";
import { factsFrom } from "./facts.ts";
import { emitAboutEvents, releaseMessages } from "./messages.ts";

export { recordAttempt, waitingSince } from "./analysis-repository.ts";

/** The event to analyse. */
export interface Subject {
  readonly batchId: string | null;
  readonly cameraId: string;
  readonly facts: EventFacts;
  /** It has been judged, and no other analysis was requested since. */
  readonly isJudged: boolean;
}

/** Returns the facts about an event for the language model; undefined if there is no such event. Times are also given in `timeZone`. */
export async function factsOf(sql: Sql, eventId: number, timeZone: string): Promise<Subject | undefined> {
  const subject = await findSubject(sql, eventId);
  if (!subject) return undefined;
  const anomaly = await unusualnessOf(sql, subject, timeZone);
  const found = factsFrom(subject, await sightingsOf(sql, eventId), anomaly, timeZone);
  const said = (await notesOf(sql, eventId)).map((content) => ({ kind: "message" as const, objectType: null, content }));
  const facts = { ...found, ...(await parkedFacts(sql, eventId)), readings: [...said, ...found.readings] };
  return { batchId: subject.batchId, cameraId: subject.cameraId, facts, isJudged: subject.isJudged };
}

/** The facts about parked objects: those beside the event, and the one whose departure it reports. */
async function parkedFacts(sql: Sql, eventId: number): Promise<Pick<EventFacts, "parked" | "departure">> {
  const [beside, left] = await Promise.all([parkedInPictures(sql, eventId), parkedSinceOf(sql, eventId)]);
  return {
    ...(beside.length > 0 && { parked: beside.map(({ type, since }) => ({ type, since: since.toISOString() })) }),
    ...(left && { departure: { parkedSince: left.toISOString() } }),
  };
}

export interface JudgedEvent {
  readonly eventId: number;
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly analyzedBy: string;
  readonly thresholds: RiskThresholds;
  /** Another analysis of the event is queued already, so the event stays `pending`. */
  readonly isRepeated?: boolean;
  readonly now: Date;
}

/**
 * Stores the analysis of an event with the risk level of its score, announces it, and queues the evaluation of rules. A deleted event
 * stays deleted.
 */
export async function storeVerdict(
  sql: Sql,
  { eventId, attempt, verdict, analyzedBy, thresholds, isRepeated = false, now }: JudgedEvent,
): Promise<void> {
  const level = riskLevel(verdict.riskScore, thresholds);
  const event = await updateAnalysis(
    sql,
    eventId,
    {
      status: isRepeated ? "pending" : "completed",
      score: verdict.riskScore,
      level,
      summary: verdict.summary,
      reasoning: verdict.reasoning,
      factors: verdict.riskFactors,
      analyzedBy,
    },
    now,
  );
  if (!event) return;
  const data = {
    event_id: eventId,
    batch_id: event.batch_id,
    camera_id: event.camera_id,
    attempt,
    risk_score: verdict.riskScore,
    risk_level: level,
  };
  await appendToJournal(sql, [...changed(event), { type: "batch.analysis_completed", data }], now);
  await emitAboutEvents(sql, [{ type: "batch_analysis_completed", subject: String(eventId), about: eventId, data }], now);
  await releaseMessages(sql, event, now, await queueEvaluations(sql, [eventId], "scored", now));
}

export interface FailedAnalysis {
  readonly eventId: number;
  readonly attempt: number;
  readonly error: string;
  readonly now: Date;
}

/**
 * Stores that the analysis of an event failed, announces it, and queues rules that waited for its score and need none by now. An event
 * that was never analysed keeps the score, level and reasoning from its creation, if any; one that was analysed before keeps that
 * analysis.
 */
export async function storeAnalysisFailure(sql: Sql, { eventId, attempt, error, now }: FailedAnalysis): Promise<void> {
  const event = await markAnalysisFailed(sql, eventId, now);
  if (!event) return;
  const data = { event_id: eventId, batch_id: event.batch_id, camera_id: event.camera_id, attempt, error };
  await appendToJournal(sql, [...changed(event), { type: "batch.analysis_failed", data }], now);
  await emitAboutEvents(sql, [{ type: "batch_analysis_failed", subject: String(eventId), about: eventId, data }], now);
  await releaseMessages(sql, event, now, event.risk_score === null && (await queueEvaluations(sql, [eventId], "failed", now)));
}

/** Clients get no updates of a deleted event. */
function changed(event: Event): readonly JournalEntry[] {
  return event.deleted_at === null ? [{ type: "event.updated", data: event }] : [];
}

/**
 * Queues the analysis of new events in the caller's transaction; a backlog comes after live events. Events that are being enriched wait
 * for that, at most `enrichmentWaitMs`.
 */
export async function queueAnalyses(sql: Sql, events: readonly Event[], now: Date, enrichmentWaitMs = 0): Promise<void> {
  const ids = events.map(({ id }) => id);
  const awaited = enrichmentWaitMs > 0 ? await eventsBeingEnriched(sql, ids, { fresh: true }) : new Set<number>();
  const jobs = events.map((event) => ({
    subject: String(event.id),
    priority: now.getTime() - event.ended_at.getTime() > backlogAfterMs ? priorities.backlog : priorities.live,
    position: event.started_at,
    availableAt: awaited.has(event.id) ? new Date(now.getTime() + enrichmentWaitMs) : now,
  }));
  await addJobs(sql, "analyze", jobs);
}
