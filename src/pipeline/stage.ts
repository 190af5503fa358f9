import type { ClaimedJob } from "../work/jobs/jobs-repository.ts";

/**
 * One stage of the pipeline: does the work of a claimed job and ends its row in the same transaction, by finishing,
 * releasing or burying it. Idempotent: killed at any point, the job is claimed again and nothing happens twice. What a
 * stage throws is a fault of ours or of the database; the queue worker gives the job back then.
 */
export interface Stage {
  /** `freePlace` says that what only so many may do at once is done: the next job may start while this one is written down. */
  run(job: ClaimedJob, signal: AbortSignal, freePlace: () => void): Promise<void>;
  /** Ends a job that failed too often: into the dead letters, with the reason on its row. */
  giveUp(job: ClaimedJob, error: string): Promise<void>;
}

/** On what the service fails so often while it answers others is at fault itself. */
const mostBlamed = 10;
/** What was given back so often waits no longer the next time. */
const mostDelays = 10;
/** The service counts as answering when it did so within this time. */
const answeringMs = 60_000;

/**
 * What to do with a job whose service did not answer: when to try again, or that it is to be given up. It is blamed only when the service
 * answered others shortly before, and was well when it was asked: what is next in turn whenever an outage begins is not at fault.
 */
export function afterNoAnswer(
  job: ClaimedJob,
  answer: { readonly reason: string; readonly retryAt: Date; readonly suspect?: boolean },
  service: { readonly lastSuccess: Date | null; readonly now: Date },
): { readonly giveUp: false; readonly availableAt: Date; readonly attempt: "deferred" | "blamed" } | { readonly giveUp: true } {
  const answersOthers = service.lastSuccess !== null && service.now.getTime() - service.lastSuccess.getTime() < answeringMs;
  const isBlamed = answersOthers && answer.suspect === true && ["status", "unreadable", "timeout", "broke_off"].includes(answer.reason);
  if (isBlamed && job.blamed >= mostBlamed) return { giveUp: true };
  // later each time, so that the next trial of the service is made with something else
  const delayMs = Math.min(job.deferrals, mostDelays) * 3_000;
  return { giveUp: false, availableAt: new Date(answer.retryAt.getTime() + delayMs), attempt: isBlamed ? "blamed" : "deferred" };
}
