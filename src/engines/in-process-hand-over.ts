import PQueue from "p-queue";
import { type ConsumeOptions, type Consumer, type HandOver, sweepMs } from "./hand-over.ts";

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
  const places = new PQueue({ concurrency: options.concurrency });
  const running = new Set<number>();
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
        const free = Math.min(options.concurrency, options.capacity()) - running.size;
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
    places
      .add(() => options.handle(job))
      .catch(options.onError)
      .finally(() => {
        running.delete(job.jobId);
        wake();
      });
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
      await places.onIdle();
    },
  };
}
