/** Where a consumer gets its work from. Rows are the truth; every function is a statement on them. */
export interface JobSource<J extends { readonly jobId: number }> {
  /** Claims the best jobs that may start now. */
  claimNext(limit: number): Promise<readonly J[]>;
  /** Claims one job by its id, if it is still to be had. */
  claim(jobId: number): Promise<J | undefined>;
  /** Jobs to point an outside queue to, marked so that they are not offered twice; `claims` were made of each so far. */
  offer(limit: number): Promise<readonly { readonly jobId: number; readonly priority: number; readonly claims: number }[]>;
  /** Takes back an offer whose pointer is gone from the outside queue, unclaimed. */
  takeBack(jobId: number): Promise<unknown>;
  /** Frees what is claimed in the rows but not worked on here, or for too long. */
  freeOrphans(runningIds: readonly number[]): Promise<unknown>;
}

/** How to work on the jobs of one queue. */
export interface ConsumeOptions<J extends { readonly jobId: number }> {
  /** Jobs at once in this process. */
  readonly concurrency: number;
  /** So many more may be claimed ahead where they go through fast. The handler has them wait for the end of others by itself. */
  readonly mostAhead?: number | undefined;
  readonly source: JobSource<J>;
  /** How many jobs may start now: 0 while an upstream is known to be down, 1 for a trial, else Infinity. */
  readonly capacity: () => number;
  /**
   * Does the job and ends its row. Must not reject; what it throws is passed to `onError`. `freePlace` lets another job
   * start before this one has ended: its outcome is only being written down.
   */
  readonly handle: (job: J, freePlace: () => void) => Promise<void>;
  /** The rows could not be read or a handler threw: for the log. */
  readonly onError: (error: unknown) => void;
}

/** A running consumer. */
export interface Consumer {
  /** Jobs being worked on now. */
  running(): number;
  /** Monotonic milliseconds of the last time it looked for work. */
  heartbeat(): number;
  /** Takes no more jobs and waits for those that run. */
  stop(): Promise<void>;
}

/**
 * Dispatches jobs, which are rows, to workers: in this process, or through BullMQ on Redis/Valkey. Either way it passes on only pointers and
 * wake-ups. Consumers read the rows every second, so a lost one costs time only.
 */
export interface JobDispatcher {
  readonly kind: "in-process" | "bullmq";
  /** There may be new work in this queue. */
  wake(queue: string): void;
  consume<J extends { readonly jobId: number }>(queue: string, options: ConsumeOptions<J>): Consumer;
  close(): Promise<void>;
}
