import { startPoller } from "../../base/async/poller.ts";
import type { ConsumeOptions, JobDispatcher } from "./job-dispatcher.ts";
import { type WakeableConsumer, wakers } from "./wakers.ts";

/** Maximum number of claimed jobs, including those whose outcome is being stored: with more, the database is the bottleneck. */
const maxClaimed = 128;
/** Time that a free slot waits for others, so that one claim fills several. */
const gatherMs = 4;
/**
 * Jobs that will probably get a slot within this time are claimed ahead, so that no slot waits for a claim; the time is short, so that
 * urgent jobs that arrive meanwhile hardly wait.
 */
const aheadMs = 20;
/** Jobs are claimed ahead only while others free their slot within this time after their claim. */
const fastMs = 2 * aheadMs;
/** The same while jobs claimed ahead keep all slots busy: no slot is idle meanwhile, so the claim may gather more. */
const gatherAheadMs = 10;

/** Creates the dispatcher inside this process: a wake makes the consumer claim as many rows as it has free slots. */
export function createInProcessDispatcher(): JobDispatcher {
  return { kind: "in-process", ...wakers((_queue, options) => consumeInProcess(options)), close: async () => {} };
}

function consumeInProcess<J extends { readonly jobId: number }>(options: ConsumeOptions<J>): WakeableConsumer {
  // Claimed jobs that have not ended; those of them that hold a slot or wait for one; the promises of all
  const running = new Set<J>();
  const working = new Set<J>();
  const handling = new Set<Promise<void>>();
  /** Times in the last `aheadMs` when a fast job freed its slot. */
  const freed: number[] = [];
  let stopped = false;
  let gathering: NodeJS.Timeout | undefined;

  // One poll at a time, so that a job just claimed is never mistaken for an orphan
  const poller = startPoller(async (sweepDue) => {
    if (sweepDue()) await options.source.freeOrphans([...running].map(({ jobId }) => jobId));
    const free = Math.min(options.concurrency + ahead(), options.capacity(), maxClaimed + working.size - running.size) - working.size;
    if (free <= 0 || stopped) return false;
    const jobs = await options.source.claimNext(free);
    for (const job of jobs) start(job);
    return false;
  }, options.onError);

  /** Estimates how many jobs get a slot in `aheadMs` at the present rate. */
  function ahead(): number {
    const since = performance.now() - aheadMs;
    while (freed.length > 0 && (freed[0] as number) < since) freed.shift();
    return Math.min(freed.length, options.maxAhead ?? 0);
  }

  const claimSoon = (): void => {
    if (working.size > 0) gathering ??= setTimeout(claimNow, working.size >= options.concurrency ? gatherAheadMs : gatherMs);
    else setImmediate(claimNow);
  };
  const claimNow = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    poller.wake();
  };

  function start(job: J): void {
    running.add(job);
    working.add(job);
    const startedAt = performance.now();
    const freeSlot = (): void => {
      if (!working.delete(job)) return;
      const now = performance.now();
      if (now - startedAt < fastMs) freed.push(now);
      claimSoon();
    };
    const handled = options
      .handle(job, freeSlot)
      .catch(options.onError)
      .finally(() => {
        running.delete(job);
        handling.delete(handled);
        freeSlot();
        // Slots may have stayed free because too many outcomes were being stored
        if (running.size - working.size >= maxClaimed - options.concurrency) claimSoon();
      });
    handling.add(handled);
  }

  return {
    wake: poller.wake,
    running: () => running.size,
    heartbeat: poller.lastPollAt,
    stop: async () => {
      stopped = true;
      clearTimeout(gathering);
      await poller.stop();
      await Promise.all(handling);
    },
  };
}
