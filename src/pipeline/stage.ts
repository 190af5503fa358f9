import type { ClaimedJob } from "../work/jobs/jobs-repository.ts";

/**
 * One stage of the pipeline. It does the work of a claimed job and finishes, releases or buries the job in the same
 * transaction. Idempotent: if the process is killed at any point, the job is claimed again and nothing happens twice. An
 * error thrown by a stage is a bug or a database error; the queue worker then releases the job.
 */
export interface Stage {
  /** `freeSlot` ends the part with limited concurrency: the next job may start while this one is stored. */
  run(job: ClaimedJob, signal: AbortSignal, freeSlot: () => void): Promise<void>;
  /** Moves a job that failed too often to the dead letters, with the reason. */
  stopRetrying(job: ClaimedJob, error: string): Promise<void>;
}

/** After this many failures while the service answers other jobs, the job itself is at fault. */
const maxBlamed = 10;
/** After this many releases the delay stops growing. */
const maxDelays = 10;
/** The service counts as up if it answered within this time. */
const answeringMs = 60_000;

/**
 * Decides about a job whose service did not answer: the time of the next attempt, or the dead letters. The job is at fault only if the
 * service answered other jobs shortly before and was healthy at the time of the call. A job that is next when an outage begins is not.
 */
export function afterNoAnswer(
  job: ClaimedJob,
  answer: { readonly reason: string; readonly retryAt: Date; readonly suspect?: boolean },
  service: { readonly lastSuccess: Date | null; readonly now: Date },
): { readonly stopRetrying: false; readonly availableAt: Date; readonly attempt: "deferred" | "blamed" } | { readonly stopRetrying: true } {
  const answersOthers = service.lastSuccess !== null && service.now.getTime() - service.lastSuccess.getTime() < answeringMs;
  const isBlamed = answersOthers && answer.suspect === true && ["status", "unreadable", "timeout", "broke_off"].includes(answer.reason);
  if (isBlamed && job.blamed >= maxBlamed) return { stopRetrying: true };
  // The delay grows, so that another job makes the next trial call.
  const delayMs = Math.min(job.deferrals, maxDelays) * 3_000;
  return { stopRetrying: false, availableAt: new Date(answer.retryAt.getTime() + delayMs), attempt: isBlamed ? "blamed" : "deferred" };
}

/** The run was aborted because the daemon stops; the job is released. */
export class StageAborted extends Error {
  override name = "StageAborted";
}
