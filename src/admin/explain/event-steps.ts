import { pluralize } from "../../base/text/format.ts";
import { readAnswer } from "../../monitoring/upstream/answer.ts";
import type { BreakerState } from "../../work/operations/upstream-state.ts";
import type { AttemptFacts, EventFacts } from "./events-repository.ts";
import type { WaitingJob } from "./jobs-repository.ts";
import { jobDetails } from "./picture-steps.ts";
import { between, type Step, sentence } from "./step.ts";

/** Facts that are not in the database. */
export interface Known {
  readonly now: Date;
  /** Breaker of the language model; undefined without a daemon. */
  readonly breaker: BreakerState | undefined;
}

/** The step that stored the event, with its origin. */
export function eventStep(event: EventFacts, hasBatch: boolean): Step {
  const seen = event.objectTypes.length === 0 ? "" : ` (${event.objectTypes.join(", ")})`;
  const source = hasBatch ? "" : event.batchId === null ? " It came through the API, not from a batch." : " Its batch was deleted.";
  const deleted = event.deletedAt ? " It has been deleted." : "";
  return {
    at: event.createdAt,
    step: "event",
    status: "done",
    text:
      event.kind === "camera_health"
        ? `An incident of camera ${event.cameraId} was stored as event ${event.id}: ${sentence(event.summary)}${deleted}`
        : `Event ${event.id} of camera ${event.cameraId} was stored with ${pluralize(event.detectionCount, "detection")}${seen}.${source}${deleted}`,
    details: {
      event_id: event.id,
      kind: event.kind,
      camera_id: event.cameraId,
      started_at: event.startedAt,
      ended_at: event.endedAt,
      detection_count: event.detectionCount,
      object_types: event.objectTypes,
      deleted_at: event.deletedAt,
    },
  };
}

/** Steps of the risk assessment: each attempt, then the score, or what it waits for. */
export function analysisSteps(event: EventFacts, attempts: readonly AttemptFacts[], job: WaitingJob | undefined, known: Known): Step[] {
  // incidents get no risk assessment
  if (event.kind === "camera_health") return [];
  return [...attempts.map(attemptStep), scoreStep(event, attempts, job, known)];
}

function attemptStep(attempt: AttemptFacts): Step {
  const took = between(attempt.startedAt, attempt.finishedAt);
  const who = attempt.analyzedBy ?? "The language model";
  const reading = attempt.answer === null ? undefined : readAnswer(attempt.answer);
  const result = {
    completed: `${who} answered after ${took}${reading?.ok ? `, read as score ${reading.verdict.riskScore}` : ""}.`,
    unreadable: `${who} answered after ${took}, but the answer could not be read: ${sentence(attempt.error ?? "it contains no risk assessment")}`,
    unavailable: `The language model did not answer: ${sentence(attempt.error ?? "it cannot be reached")}`,
    rejected: `${who} rejected the request after ${took}: ${sentence(attempt.error ?? "no reason was given")}`,
  }[attempt.outcome];
  return {
    at: attempt.finishedAt,
    step: "analysis",
    status: attempt.outcome === "completed" ? "done" : "failed",
    text: `Analysis attempt ${attempt.attempt}: ${result}`,
    details: {
      attempt: attempt.attempt,
      outcome: attempt.outcome,
      analyzed_by: attempt.analyzedBy,
      started_at: attempt.startedAt,
      finished_at: attempt.finishedAt,
      error: attempt.error,
      answer: attempt.answer,
      reading:
        reading && (reading.ok ? { risk_score: reading.verdict.riskScore, summary: reading.verdict.summary } : { error: reading.error }),
    },
  };
}

function scoreStep(event: EventFacts, attempts: readonly AttemptFacts[], job: WaitingJob | undefined, known: Known): Step {
  const details = {
    analysis_status: event.analysisStatus,
    risk_score: event.riskScore,
    risk_level: event.riskLevel,
    summary: event.summary,
    reasoning: event.reasoning,
    risk_factors: event.riskFactors,
    analyzed_by: event.analyzedBy,
    job: job && jobDetails(job),
  };
  if (event.riskScore !== null) {
    const by = event.analyzedBy === null ? "it came with the event" : `assessed by ${event.analyzedBy}`;
    const again = job && job.status !== "dead" ? " It will be assessed again." : "";
    return {
      at: attempts.findLast(({ outcome }) => outcome === "completed")?.finishedAt ?? event.createdAt,
      step: "score",
      status: "done",
      text: `The event has risk score ${event.riskScore} (${event.riskLevel}); ${by}.${again}`,
      details,
    };
  }
  if (event.analysisStatus === "failed") {
    const why = job?.error ? ` ${sentence(job.error)}` : "";
    const fix = `To assess it again: \`homesec events reanalyze ${event.id}\`.`;
    return {
      at: attempts.at(-1)?.finishedAt ?? null,
      step: "score",
      status: "failed",
      text: `The analysis failed, so there is no score.${why} ${fix}`,
      details,
    };
  }
  return { at: null, step: "score", status: "waiting", text: `The event has no risk score yet. ${waitingText(job, known)}`, details };
}

function waitingText(job: WaitingJob | undefined, { now, breaker }: Known): string {
  if (!job) return "No analysis is queued for it.";
  if (job.status === "running") return "The language model is assessing it now.";
  if (job.status === "dead") return `Its analysis is in the dead letters: ${sentence(job.error ?? "no reason was stored")}`;
  if (breaker?.state === "open") {
    const when = breaker.reset_at === null ? "later" : `in ${between(now, breaker.reset_at)}`;
    return `The language model failed repeatedly, so its circuit breaker is open; homesec retries ${when}. To retry now: \`homesec breakers reset language_model\`.`;
  }
  const next = job.availableAt > now ? `The next attempt is in ${between(now, job.availableAt)}` : "It is next in the queue";
  return job.error === null ? `${next}.` : `${next}; the last attempt failed: ${sentence(job.error)}`;
}
