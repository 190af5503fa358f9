import type { Clock } from "../../src/base/clock/clock.ts";
import { minuteMs } from "../../src/base/clock/durations.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Stage } from "../../src/pipeline/stage.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { Consumer, JobDispatcher } from "../../src/platform/store/job-dispatcher.ts";
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
  takeBackOffer,
} from "../../src/work/jobs/jobs-repository.ts";
import { StageAborted } from "../../src/work/jobs/stage-aborted.ts";
import type { Worker } from "./worker.ts";

/** A job that failed so often is given up. */
const usualMaxAttempts = 5;
/** After a fault of ours a job waits a second, twice as long each time, and no longer than this. */
const longestWaitMs = 5 * minuteMs;

/** What a worker of one queue needs. */
export interface QueueWorkerOptions {
  readonly name: string;
  readonly queue: QueueName;
  /** Without it no picture is processed. */
  readonly critical: boolean;
  readonly concurrency: number;
  /** So many more may be claimed ahead: the stage itself has them wait. */
  readonly mostAhead?: number;
  /**
   * Longer than the longest run of the stage: one that takes more may never end, and its job is taken up again. By the monotonic clock of this
   * process: were it a time in the row, a clock that steps, or another machine's that is ahead, would end claims whose work goes on.
   */
  readonly leaseMs: number;
  /** A job that failed so often is given up; 5 unless the work is hardly ever at fault. */
  readonly maxAttempts?: number;
  /** A job that was begun so often without coming to an end is given up, since it may be what kills the process; `maxAttempts` without it. */
  readonly mostBegun?: number;
  readonly stage: Stage;
  /** The jobs of this queue have lanes: then the dispatcher must be the one inside the process. */
  readonly lanes?: true;
  /** Jobs that may run now: 0 while the upstream is known to be down, 1 for its trial, else Infinity. */
  readonly capacity: () => number;
  readonly dispatcher: JobDispatcher;
  readonly db: Database;
  readonly processId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A run of the stage came to its end after so many seconds; `failed`: by a fault of ours. */
  readonly onDone: (seconds: number, failed: boolean) => void;
}

/** Makes the worker that takes the jobs of one queue through their stage. */
export function createQueueWorker(options: QueueWorkerOptions): Worker & { readonly running: () => number } {
  const { db, clock, processId, queue, stage, maxAttempts = usualMaxAttempts, mostBegun = maxAttempts } = options;
  const log = options.log.child({ worker: options.name });
  let abort = new AbortController();
  let consumer: Consumer | undefined;
  let rowsFail = false;
  /** What runs, and since when. */
  const begun = new Map<ClaimedJob, number>();

  const claim = () => ({ queue, processId, now: clock.now() });

  const handle = async (job: ClaimedJob, freePlace: () => void): Promise<void> => {
    const { signal } = abort;
    const startedAt = clock.monotonic();
    let failed = false;
    begun.set(job, startedAt);
    try {
      if (job.attempts > mostBegun) await stage.giveUp(job, `given up after ${mostBegun} attempts that did not come to an end`);
      else await stage.run(job, signal, freePlace);
    } catch (error) {
      failed = await afterFailure(job, error);
    } finally {
      begun.delete(job);
      options.onDone((clock.monotonic() - startedAt) / 1000, failed);
    }
  };

  /** A fault of ours counts (true) and is tried again later; what the database or the shutdown did to a job is not its fault. */
  const afterFailure = async (job: ClaimedJob, error: unknown): Promise<boolean> => {
    if (error instanceof LeaseLost) {
      log.warn({ job: job.jobId, subject: job.subject }, "the job was taken up again meanwhile; what was done here is rolled back");
      return false;
    }
    const name = error instanceof Error ? error.name : "";
    if (name === "DatabaseUnavailable" || name === "OutcomeUnknown") {
      log.warn({ job: job.jobId, error: String(error) }, "the database went away under the job; it is taken up again");
      return false; // the claim is freed by the next sweep of this consumer
    }
    const aborted = error instanceof StageAborted || abort.signal.aborted;
    if (!aborted) log.error({ job: job.jobId, subject: job.subject, error: describe(error) }, "a job failed");
    try {
      if (!aborted && job.attempts >= maxAttempts) {
        await stage.giveUp(job, String(error));
        return true;
      }
      const waitMs = aborted ? 0 : Math.min(1_000 * 2 ** (job.attempts - 1), longestWaitMs);
      await db.query((sql) =>
        releaseJob(sql, job, {
          availableAt: new Date(clock.now().getTime() + waitMs),
          error: aborted ? null : String(error),
          attempt: aborted ? "free" : "counts",
        }),
      );
    } catch (failure) {
      log.warn({ job: job.jobId, error: String(failure) }, "could not give the job back; the next sweep does");
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
      consumer = options.dispatcher.consume<ClaimedJob>(queue, {
        concurrency: options.concurrency,
        mostAhead: options.mostAhead,
        capacity: options.capacity,
        source: {
          claimNext: (limit) => db.query((sql) => (options.lanes ? claimNextInLanes : claimNextJobs)(sql, claim(), limit)),
          claim: (jobId) => db.query((sql) => claimJob(sql, claim(), jobId)),
          offer: (limit) => db.query((sql) => offerJobs(sql, queue, clock.now(), limit)),
          takeBack: (jobId) => db.query((sql) => takeBackOffer(sql, jobId)),
          freeOrphans: async (runningIds) => {
            const overdueSince = clock.monotonic() - options.leaseMs;
            const overdue = [...begun].flatMap(([job, since]) => (since < overdueSince ? [job] : []));
            const [freed, late] = await db.query(async (sql) => [
              await freeOrphanedJobs(sql, queue, processId, runningIds),
              await freeOverdueJobs(sql, overdue),
            ]);
            rowsFail = false;
            if (freed > 0) log.info({ freed }, "freed jobs whose claim was left over");
            if (late > 0) log.warn({ freed: late }, "freed jobs that take longer than they may");
          },
        },
        handle,
        onError: (error) => {
          // told once; the sweep goes on every second until the rows can be read again
          if (!rowsFail) log.warn({ error: String(error) }, "the queue cannot be read; trying again");
          rowsFail = true;
        },
      });
    },
    stop: async () => {
      abort.abort(new StageAborted("the daemon stops"));
      // a run that is stuck may end long after the next one was started, and must not take that one's place
      const ended = consumer;
      consumer = undefined;
      await ended?.stop();
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
