/** A job that is free to claim; `claims` counts its previous claims. */
export interface JobOffer {
  readonly jobId: number;
  readonly priority: number;
  readonly claims: number;
}

/** The source of a consumer's jobs. Rows are authoritative; every function is a statement on them. */
export interface JobSource<J extends { readonly jobId: number }> {
  /** Claims the first jobs in order that may start now. */
  claimNext(limit: number): Promise<readonly J[]>;
  /** Claims one job by its id, if it is still free. */
  claim(jobId: number): Promise<J | undefined>;
  /** Returns jobs for an external queue and marks them, so that they are not offered twice. */
  offer(limit: number): Promise<readonly JobOffer[]>;
  /** Withdraws an unclaimed offer whose pointer has disappeared from the external queue. */
  withdrawOffer(jobId: number): Promise<unknown>;
  /** Frees rows that are claimed but not processed here, or claimed for too long. */
  freeOrphans(runningIds: readonly number[]): Promise<unknown>;
}

/** Options for processing the jobs of one queue. */
export interface ConsumeOptions<J extends { readonly jobId: number }> {
  /** Number of concurrent jobs in this process. */
  readonly concurrency: number;
  /** Maximum number of jobs claimed ahead while jobs are fast. The handler makes them wait for the end of others. */
  readonly maxAhead?: number | undefined;
  readonly source: JobSource<J>;
  /** Number of jobs that may start now: 0 while an upstream is known to be down, 1 for a trial, otherwise Infinity. */
  readonly capacity: () => number;
  /**
   * Processes the job and ends its row. Must not reject; errors go to `onError`. `freeSlot` lets another job start before this one has
   * ended, while its outcome is being stored.
   */
  readonly handle: (job: J, freeSlot: () => void) => Promise<void>;
  /** Called for the log when the rows could not be read or a handler threw. */
  readonly onError: (error: unknown) => void;
}

/** A running consumer. */
export interface Consumer {
  /** Returns the number of jobs in progress. */
  running(): number;
  /** Returns the monotonic time of the last poll, in milliseconds. */
  heartbeat(): number;
  /** Takes no more jobs and waits for the running ones. */
  stop(): Promise<void>;
}

/**
 * Dispatches jobs, which are rows, to workers: in this process, or through BullMQ on Redis/Valkey. It passes on only pointers and
 * wake-ups. Consumers read the rows every second, so a lost one only costs time.
 */
export interface JobDispatcher {
  readonly kind: "in-process" | "bullmq";
  /** Announces that this queue may have new jobs. */
  wake(queue: string): void;
  consume<J extends { readonly jobId: number }>(queue: string, options: ConsumeOptions<J>): Consumer;
  close(): Promise<void>;
}
