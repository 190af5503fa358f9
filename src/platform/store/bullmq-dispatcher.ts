import { setTimeout as sleep } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import { startPoller, sweepMs } from "../../base/async/poller.ts";
import { within } from "../../base/lifecycle/lifecycle.ts";
import type { Log } from "../../base/log/log.ts";
import type { ConsumeOptions, JobDispatcher } from "./job-dispatcher.ts";
import { type WakeableConsumer, wakers } from "./wakers.ts";

/** Maximum number of pointers that wait in Redis; the others wait as rows, so that Redis stays small. */
const offeredAtOnce = 500;
/** Interval between log messages while Redis is unreachable. */
const tellEveryMs = 60_000;
/** Time for Redis to accept the end of an entry. Otherwise the entry is delivered again and finds no row to claim. */
const goodbyeMs = 1_000;

/**
 * Creates the dispatcher that uses BullMQ: each process offers pointers to pending rows; a worker with a free slot takes one and claims
 * its row. An entry is removed when it ends in any way, since adding an id that still exists is silently ignored.
 */
export function createBullmqDispatcher(options: { readonly redisUrl: string; readonly log: Log; readonly prefix?: string }): JobDispatcher {
  const { log } = options;
  const prefix = options.prefix ?? "homesec";
  const connection = { url: options.redisUrl, maxRetriesPerRequest: null, enableOfflineQueue: false } as const;
  const queues = new Map<string, Queue>();
  let toldAt = Number.NEGATIVE_INFINITY;

  /** Redis is down for all queues at once, and every connection notices it every second. */
  const tellOfRedis = (error: unknown): void => {
    if (performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    log.warn(
      { error: error instanceof Error ? error.message : String(error) },
      "Redis (REDIS_URL) does not answer; work waits until it does",
    );
  };

  const queueOf = (name: string): Queue => {
    const known = queues.get(name);
    if (known) return known;
    const queue = new Queue(name, { connection, prefix, defaultJobOptions: { removeOnComplete: true, removeOnFail: true } });
    queue.on("error", tellOfRedis);
    queues.set(name, queue);
    return queue;
  };

  return {
    kind: "bullmq",
    ...wakers((name, consume) => consumeFrom(name, queueOf(name), consume)),
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => within(goodbyeMs, () => queue.close()).catch(tellOfRedis)));
    },
  };

  function consumeFrom<J extends { readonly jobId: number }>(name: string, queue: Queue, consume: ConsumeOptions<J>): WakeableConsumer {
    const running = new Set<J>();
    const handling = new Set<Promise<void>>();
    const stopping = new AbortController();
    let claiming = 0;
    let sweeping: Promise<unknown> | undefined;
    const places = (): number => consume.capacity() - running.size - claiming;

    // Resolves to whether the entry was processed; otherwise it is offered again
    const worker = new Worker<{ jobId: number }, boolean>(
      name,
      async (entry) => {
        // Meanwhile the others stay in Redis, for processes with a free slot
        if (places() <= 0) await sleep(sweepMs, undefined, { signal: stopping.signal }).catch(() => {});
        // A sweep would mistake a job that is being claimed for an orphan
        while (sweeping) await sweeping;
        if (stopping.signal.aborted || places() <= 0) return false;
        claiming += 1;
        const job = await consume.source
          .claim(entry.data.jobId)
          .then((claimed) => {
            if (claimed) running.add(claimed);
            return claimed;
          })
          .finally(() => {
            claiming -= 1;
          });
        if (!job) return true;
        const handled = consume
          .handle(job, () => {})
          .finally(() => {
            running.delete(job);
            handling.delete(handled);
          });
        handling.add(handled);
        await handled;
        return true;
      },
      // A worker's commands wait until Redis is back. If refused at once, it would repeat them at once and block everything else.
      {
        connection: { ...connection, enableOfflineQueue: true },
        prefix,
        concurrency: consume.concurrency,
        lockDuration: 30_000,
        maxStalledCount: 1_000_000,
      },
    );
    worker.on("error", tellOfRedis);
    // Not before the entry is removed from Redis: another one for the job would be ignored
    worker.on("completed", (entry, hadItsTurn) => {
      if (!hadItsTurn) consume.source.takeBack(entry.data.jobId).catch(consume.onError);
    });
    worker.on("failed", (_entry, error) => consume.onError(error));

    const looking = startPoller(async (sweepDue) => {
      if (claiming === 0 && sweepDue()) {
        sweeping = consume.source.freeOrphans([...running].map(({ jobId }) => jobId)).finally(() => {
          sweeping = undefined;
        });
        await sweeping;
      }
      const most = Math.min(offeredAtOnce, places());
      if (most <= 0) return false;
      const jobs = await consume.source.offer(most);
      await queue.addBulk(
        jobs.map((job) => ({
          name: "job",
          data: { jobId: job.jobId },
          // A killed process leaves its entry behind for a minute, under the number of its claim
          opts: { jobId: `job-${job.jobId}-${job.claims}`, priority: job.priority + 1 },
        })),
      );
      return false;
    }, consume.onError);

    return {
      wake: looking.wake,
      running: () => running.size,
      heartbeat: looking.lastPollAt,
      stop: async () => {
        stopping.abort();
        await looking.stop();
        await worker.pause(true);
        await Promise.allSettled(handling);
        await within(goodbyeMs, () => worker.close()).catch(tellOfRedis);
      },
    };
  }
}
