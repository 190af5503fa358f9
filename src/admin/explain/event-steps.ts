import { pluralize } from "../../base/text/format.ts";
import type { Event } from "../../monitoring/events/event.ts";
import { readAnswer } from "../../monitoring/upstream/answer.ts";
import type { BreakerState } from "../../work/operations/upstream-state.ts";
import type { AttemptFacts } from "./events-repository.ts";
import type { WaitingJob } from "./jobs-repository.ts";
import { jobDetails } from "./picture-steps.ts";
import { between, instant, type Step, sentence } from "./step.ts";

/** Facts that are not in the database. */
export interface Known {
  readonly now: Date;
  /** Breaker of the language model; undefined without a daemon. */
  readonly breaker: BreakerState | undefined;
}

/** The step that stored the event, with its origin. `parkedSince`: the event says that something left that was parked since then. */
export function eventStep(event: Event, hasBatch: boolean, parkedSince: Date | null = null): Step {
  const { kind, camera_id, started_at, ended_at, detection_count, object_types, deleted_at } = event;
  const seen = object_types.length === 0 ? "" : ` (${object_types.join(", ")})`;
  const source =
    hasBatch || parkedSince ? "" : event.batch_id === null ? " It came through the API, not from a batch." : " Its batch was deleted.";
  const left = parkedSince ? ` It says that an object left that was parked there since ${instant(parkedSince)}.` : "";
  const goesOn = event.ongoing ? " Its visit goes on." : "";
  const deleted = deleted_at ? " It has been deleted." : "";
  return {
    at: event.created_at,
    step: "event",
    status: "done",
    text:
      kind === "camera_health"
        ? `An incident of camera ${camera_id} was stored as event ${event.id}: ${sentence(event.summary)}${deleted}`
        : `Event ${event.id} of camera ${camera_id} was stored with ${pluralize(detection_count, "detection")}${seen}.${source}${left}${goesOn}${deleted}`,
    details: { event_id: event.id, kind, camera_id, started_at, ended_at, detection_count, object_types, deleted_at },
  };
}

/** Steps of the risk assessment: each attempt, then the score, or what it waits for. */
export function analysisSteps(event: Event, attempts: readonly AttemptFacts[], job: WaitingJob | undefined, known: Known): Step[] {
  // incidents get no risk assessment
  if (event.kind === "camera_health") return [];
  return [...attempts.map(attemptStep), scoreStep(event, attempts, job, known)];
}

function attemptStep(attempt: AttemptFacts): Step {
  const took = between(attempt.started_at, attempt.finished_at);
  const who = attempt.analyzed_by ?? "The language model";
  const reading = attempt.answer === null ? undefined : readAnswer(attempt.answer);
  const verdict = reading && (reading.ok ? reading.verdict : reading.fallback);
  const shown = attempt.shown_detection_ids ?? [];
  const saw =
    shown.length === 0 ? "" : ` It saw the ${shown.length === 1 ? "picture of detection" : "pictures of detections"} ${shown.join(", ")}.`;
  const result = {
    completed: `${who} answered after ${took}${verdict ? `, read as score ${verdict.riskScore}` : ""}${attempt.error === null ? "." : `. ${sentence(attempt.error)}`}${saw}`,
    unreadable: `${who} answered after ${took}, but the answer could not be read: ${sentence(attempt.error ?? "it contains no risk assessment")}`,
    unavailable: `The language model did not answer: ${sentence(attempt.error ?? "it cannot be reached")}`,
    rejected: `${who} rejected the request after ${took}: ${sentence(attempt.error ?? "no reason was given")}`,
  }[attempt.outcome];
  return {
    at: attempt.finished_at,
    step: "analysis",
    status: attempt.outcome === "completed" ? "done" : "failed",
    text: `Analysis attempt ${attempt.attempt}: ${result}`,
    details: {
      ...attempt,
      reading: reading && {
        ...(verdict && { risk_score: verdict.riskScore, summary: verdict.summary }),
        ...(!reading.ok && { error: reading.error }),
      },
    },
  };
}

function scoreStep(event: Event, attempts: readonly AttemptFacts[], job: WaitingJob | undefined, known: Known): Step {
  const { analysis_status, risk_score, risk_level, summary, reasoning, risk_factors, analyzed_by } = event;
  const details = { analysis_status, risk_score, risk_level, summary, reasoning, risk_factors, analyzed_by, job: job && jobDetails(job) };
  if (risk_score !== null) {
    const by = analyzed_by === null ? "it came with the event" : `assessed by ${analyzed_by}`;
    const again = job && job.status !== "dead" ? " It will be assessed again." : "";
    return {
      at: attempts.findLast(({ outcome }) => outcome === "completed")?.finished_at ?? event.created_at,
      step: "score",
      status: "done",
      text: `The event has risk score ${risk_score} (${risk_level}); ${by}.${again}`,
      details,
    };
  }
  if (analysis_status === "failed") {
    const why = job?.error ? ` ${sentence(job.error)}` : "";
    const fix = `To assess it again: \`homesec events reanalyze ${event.id}\`.`;
    return {
      at: attempts.at(-1)?.finished_at ?? null,
      step: "score",
      status: "failed",
      text: `The analysis failed, so there is no score.${why} ${fix}`,
      details,
    };
  }
  if (event.ongoing && !job) {
    const text = "The event has no risk score yet. It is judged when the visit is over.";
    return { at: null, step: "score", status: "waiting", text, details };
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
  const next = job.available_at > now ? `The next attempt is in ${between(now, job.available_at)}` : "It is next in the queue";
  return job.error === null ? `${next}.` : `${next}; the last attempt failed: ${sentence(job.error)}`;
}
