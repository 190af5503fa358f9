import { startPoller } from "../../base/async/poller.ts";
import type { ConsumeOptions, JobDispatcher } from "./job-dispatcher.ts";
import { type WakeableConsumer, wakers } from "./wakers.ts";

/** Jobs whose outcome may be being written down beside those that work: when it is more, the database is the slow part. */
const mostEnding = 128;
/** A place that becomes free waits so long for the others: those that become free together are filled by one claim. */
const gatherMs = 4;
/** What is likely to get a place within this time is claimed ahead, so that no place waits for a claim; nor does what is more urgent and comes then wait longer. */
const aheadMs = 20;
/** Only while jobs go through so fast, from their claim on. */
const fastMs = 2 * aheadMs;
/** While there are jobs ahead, no place waits for the next claim. */
const gatherAheadMs = 10;

/** Makes the dispatcher inside this process: a hint makes the consumer claim as many rows as it has free places. */
export function createInProcessDispatcher(): JobDispatcher {
  return { kind: "in-process", ...wakers((_queue, options) => consumeInProcess(options)), close: async () => {} };
}

function consumeInProcess<J extends { readonly jobId: number }>(options: ConsumeOptions<J>): WakeableConsumer {
  // claimed and not ended; those of them that hold a place; what they do
  const running = new Set<J>();
  const working = new Set<J>();
  const handling = new Set<Promise<void>>();
  /** When the last places became free, of jobs that went through fast. */
  const freed: number[] = [];
  let stopped = false;
  let gathering: NodeJS.Timeout | undefined;

  // one look at the rows at a time, so that what was just claimed is never taken for an orphan
  const looking = startPoller(async (sweepDue) => {
    if (sweepDue()) await options.source.freeOrphans([...running].map(({ jobId }) => jobId));
    const free = Math.min(options.concurrency + ahead(), options.capacity(), mostEnding + working.size - running.size) - working.size;
    if (free <= 0 || stopped) return false;
    const jobs = await options.source.claimNext(free);
    for (const job of jobs) start(job);
    return false;
  }, options.onError);

  /** How many jobs get a place in `aheadMs` as things go. */
  function ahead(): number {
    const since = performance.now() - aheadMs;
    while (freed.length > 0 && (freed[0] as number) < since) freed.shift();
    return Math.min(freed.length, options.mostAhead ?? 0);
  }

  const claimSoon = (): void => {
    if (working.size > 0) gathering ??= setTimeout(claimNow, working.size >= options.concurrency ? gatherAheadMs : gatherMs);
    else setImmediate(claimNow);
  };
  const claimNow = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    looking.wake();
  };

  function start(job: J): void {
    running.add(job);
    working.add(job);
    const startedAt = performance.now();
    const freePlace = (): void => {
      if (!working.delete(job)) return;
      const now = performance.now();
      if (now - startedAt < fastMs) freed.push(now);
      claimSoon();
    };
    const handled = options
      .handle(job, freePlace)
      .catch(options.onError)
      .finally(() => {
        running.delete(job);
        handling.delete(handled);
        freePlace();
        // places may have been left free since too many jobs were being written down
        if (running.size - working.size >= mostEnding - options.concurrency) claimSoon();
      });
    handling.add(handled);
  }

  return {
    wake: looking.wake,
    running: () => running.size,
    heartbeat: looking.lastPollAt,
    stop: async () => {
      stopped = true;
      clearTimeout(gathering);
      await looking.stop();
      await Promise.all(handling);
    },
  };
}
