import { type Clock, minuteMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type Stage, StageAborted } from "../../src/pipeline/stage.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { Consumer, JobDispatcher, JobSource } from "../../src/platform/store/job-dispatcher.ts";
import {
  type ClaimedJob,
  claimJob,
  claimNextInLanes,
  claimNextJobs,
  freeOrphanedJobs,
  freeOverdueJobs,
  LeaseLost,
  offerJobs,
  type QueueName,
  releaseJob,
  withdrawOffer,
} from "../../src/work/jobs/jobs-repository.ts";
import type { Worker } from "./loop.ts";

/** Default number of attempts of a job. */
const usualMaxAttempts = 5;
/** Delay after an internal error: a second, doubled each time, up to this maximum. */
const longestWaitMs = 5 * minuteMs;

/** Options of a worker for one queue. */
export interface QueueWorkerOptions {
  readonly name: string;
  readonly queue: QueueName;
  /** No picture is processed without it. */
  readonly critical: boolean;
  readonly concurrency: number;
  /** Number of jobs that may be claimed ahead: the stage queues them. */
  readonly maxAhead?: number;
  /**
   * Must exceed the longest run of the stage: a longer run may never end, and its job is retried. Measured by the monotonic clock of this
   * process: a time in the row would end claims of running work when a clock steps or another machine's clock differs.
   */
  readonly leaseMs: number;
  /** Maximum number of failed attempts (default 5); higher for work that is rarely at fault itself. */
  readonly maxAttempts?: number;
  /** Maximum number of runs that started and never ended, since the job may be what crashes the process (default `maxAttempts`). */
  readonly mostBegun?: number;
  readonly stage: Stage;
  /** The queue is split into sub-queues by target. The dispatcher must then be in-process. */
  readonly subQueues?: true;
  /** Number of jobs that may run now: 0 while the upstream is known to be down, 1 for its trial, else Infinity. */
  readonly capacity: () => number;
  readonly dispatcher: JobDispatcher;
  readonly db: Database;
  readonly processId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each run of the stage with its duration in seconds; `failed` means an internal error. */
  readonly onDone: (seconds: number, failed: boolean) => void;
}

/** Creates the worker that takes the jobs of one queue through their stage. */
export function createQueueWorker(options: QueueWorkerOptions): Worker & { readonly running: () => number } {
  const { clock, stage, maxAttempts = usualMaxAttempts, mostBegun = maxAttempts } = options;
  const log = options.log.child({ worker: options.name });
  let abort = new AbortController();
  let consumer: Consumer | undefined;
  let rowsFail = false;
  /** Running jobs with their start time. */
  const begun = new Map<ClaimedJob, number>();

  const handle = async (job: ClaimedJob, freeSlot: () => void): Promise<void> => {
    const { signal } = abort;
    const startedAt = clock.monotonic();
    let failed = false;
    begun.set(job, startedAt);
    try {
      if (job.attempts > mostBegun) await stage.stopRetrying(job, `failed after ${mostBegun} attempts that never ended`);
      else await stage.run(job, signal, freeSlot);
    } catch (error) {
      failed = await afterFailure(job, error);
    } finally {
      begun.delete(job);
      options.onDone((clock.monotonic() - startedAt) / 1000, failed);
    }
  };

  /** An internal error counts as an attempt (true) and is retried later. A database error or a shutdown does not count. */
  const afterFailure = async (job: ClaimedJob, error: unknown): Promise<boolean> => {
    if (error instanceof LeaseLost) {
      log.warn({ job: job.jobId, subject: job.subject }, "another run has claimed the job; this run is rolled back");
      return false;
    }
    const name = error instanceof Error ? error.name : "";
    if (name === "DatabaseUnavailable" || name === "OutcomeUnknown") {
      log.warn({ job: job.jobId, error: String(error) }, "lost the database during the job; the job is retried");
      return false; // the claim is freed by the next sweep of this consumer
    }
    const aborted = error instanceof StageAborted || abort.signal.aborted;
    if (!aborted) log.error({ job: job.jobId, subject: job.subject, error: describe(error) }, "a job failed");
    try {
      if (aborted || job.attempts < maxAttempts) await release(options, job, aborted ? null : String(error));
      else await stage.stopRetrying(job, String(error));
    } catch (failure) {
      log.warn({ job: job.jobId, error: String(failure) }, "could not release the job; the next sweep does");
    }
    return !aborted;
  };

  return {
    name: options.name,
    critical: options.critical,
    stuckAfterMs: 60_000,
    running: () => consumer?.running() ?? 0,
    heartbeat: () => consumer?.heartbeat() ?? performance.now(),
    start: async () => {
      abort = new AbortController();
      consumer = options.dispatcher.consume<ClaimedJob>(options.queue, {
        concurrency: options.concurrency,
        maxAhead: options.maxAhead,
        capacity: options.capacity,
        source: jobSource(options, begun, (freed, overdue) => {
          rowsFail = false;
          if (freed > 0) log.info({ freed }, "freed jobs with an orphaned claim");
          if (overdue > 0) log.warn({ freed: overdue }, "freed jobs that exceed their time limit");
        }),
        handle,
        onError: (error) => {
          // Logged once. The sweep repeats every second until the rows can be read again.
          if (!rowsFail) log.warn({ error: String(error) }, "the queue cannot be read; trying again");
          rowsFail = true;
        },
      });
    },
    stop: async () => {
      abort.abort(new StageAborted("the daemon stops"));
      // A stuck run may end long after the next start, and must not replace the new consumer.
      const ended = consumer;
      consumer = undefined;
      await ended?.stop();
    },
  };
}

/** The rows of the queue. A sweep also frees the jobs of `begun` that exceed the lease; `onFreed` runs after each sweep. */
function jobSource(
  { db, clock, processId, queue, subQueues, leaseMs }: QueueWorkerOptions,
  begun: ReadonlyMap<ClaimedJob, number>,
  onFreed: (orphaned: number, overdue: number) => void,
): JobSource<ClaimedJob> {
  const claim = () => ({ queue, processId, now: clock.now() });
  return {
    claimNext: (limit) => db.query((sql) => (subQueues ? claimNextInLanes : claimNextJobs)(sql, claim(), limit)),
    claim: (jobId) => db.query((sql) => claimJob(sql, claim(), jobId)),
    offer: (limit) => db.query((sql) => offerJobs(sql, queue, clock.now(), limit)),
    withdrawOffer: (jobId) => db.query((sql) => withdrawOffer(sql, jobId)),
    freeOrphans: async (runningIds) => {
      const overdueSince = clock.monotonic() - leaseMs;
      const overdue = [...begun].flatMap(([job, since]) => (since < overdueSince ? [job] : []));
      const freed = await db.query(
        async (sql) => [await freeOrphanedJobs(sql, queue, processId, runningIds), await freeOverdueJobs(sql, overdue)] as const,
      );
      onFreed(...freed);
    },
  };
}

/** Releases a job for another run: after a growing delay if it failed with an error, at once if it was aborted (null). */
async function release({ db, clock }: QueueWorkerOptions, job: ClaimedJob, error: string | null): Promise<void> {
  const waitMs = error === null ? 0 : Math.min(1_000 * 2 ** (job.attempts - 1), longestWaitMs);
  const availableAt = new Date(clock.now().getTime() + waitMs);
  await db.query((sql) => releaseJob(sql, job, { availableAt, error, attempt: error === null ? "free" : "counts" }));
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
