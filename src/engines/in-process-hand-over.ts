import { type ConsumeOptions, type Consumer, type HandOver, sweepMs } from "./hand-over.ts";

/** Jobs whose outcome may be being written down beside those that work: when it is more, the database is the slow part. */
const mostEnding = 64;

/** Hand-over inside this process: a hint makes the consumer claim as many rows as it has free places. */
export function createInProcessHandOver(): HandOver {
  const wakers = new Map<string, Set<() => void>>();
  return {
    kind: "in-process",
    wake: (queue) => {
      for (const waker of wakers.get(queue) ?? []) waker();
    },
    consume: (queue, options) => {
      const consumer = consumeInProcess(options);
      const set = wakers.get(queue) ?? new Set();
      wakers.set(queue, set.add(consumer.wake));
      return {
        running: consumer.running,
        heartbeat: consumer.heartbeat,
        stop: async () => {
          set.delete(consumer.wake);
          await consumer.stop();
        },
      };
    },
    close: async () => wakers.clear(),
  };
}

function consumeInProcess<J extends { readonly jobId: number }>(options: ConsumeOptions<J>): Consumer & { readonly wake: () => void } {
  // claimed and not ended; those of them that hold a place; what they do
  const running = new Set<number>();
  const working = new Set<number>();
  const handling = new Set<Promise<void>>();
  let stopped = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let sweepAt = 0;
  let lastLook = performance.now();

  /** One look at the rows at a time, so that what was just claimed is never taken for an orphan. */
  const look = async (): Promise<void> => {
    do {
      lookAgain = false;
      lastLook = performance.now();
      try {
        if (lastLook >= sweepAt) {
          sweepAt = lastLook + sweepMs;
          await options.source.freeOrphans([...running]);
        }
        const free = Math.min(options.concurrency, options.capacity(), mostEnding + working.size - running.size) - working.size;
        if (free <= 0 || stopped) continue;
        const jobs = await options.source.claimNext(free);
        for (const job of jobs) start(job);
        // a full catch means that more may wait behind it
        if (jobs.length === free) lookAgain = true;
      } catch (error) {
        options.onError(error);
        return;
      }
    } while (lookAgain && !stopped);
  };

  const wake = (): void => {
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = look().finally(() => {
      looking = undefined;
    });
  };

  const start = (job: J): void => {
    running.add(job.jobId);
    working.add(job.jobId);
    // places that become free together are filled by one claim
    const freePlace = (): void => {
      working.delete(job.jobId);
      setImmediate(wake);
    };
    const handled = options
      .handle(job, freePlace)
      .catch(options.onError)
      .finally(() => {
        running.delete(job.jobId);
        handling.delete(handled);
        freePlace();
      });
    handling.add(handled);
  };

  const timer = setInterval(wake, sweepMs);
  wake();
  return {
    wake,
    running: () => running.size,
    heartbeat: () => lastLook,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await looking;
      await Promise.all(handling);
    },
  };
}
