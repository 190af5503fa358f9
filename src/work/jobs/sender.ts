import type { ClaimedJob } from "./jobs-repository.ts";

/** Sends one kind of thing to the outside: makes one attempt, and ends or releases the job in the transaction that stores the outcome. */
export interface Sender {
  /** `id` is the row's, from the job's subject `KIND:ID`. */
  run(id: string, job: ClaimedJob, signal: AbortSignal): Promise<void>;
  /** Ends what failed too often without an outcome: it may be what kills the process. */
  giveUp(id: string, job: ClaimedJob, error: string): Promise<void>;
}
