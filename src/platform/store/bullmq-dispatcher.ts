import { setTimeout as sleep } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import { startPoller, sweepMs } from "../../base/async/poller.ts";
import { within } from "../../base/lifecycle/lifecycle.ts";
import type { Log } from "../../base/log/log.ts";
import type { ConsumeOptions, JobDispatcher, JobOffer } from "./job-dispatcher.ts";
import { type WakeableConsumer, wakers } from "./wakers.ts";

/** Maximum number of pointers that wait in Redis; the others wait as rows, so that Redis stays small. */
const offeredAtOnce = 500;
/** Interval between log messages while Redis is unreachable. */
const logEveryMs = 60_000;
/** Time for Redis to accept the end of an entry. Otherwise the entry is delivered again and finds no row to claim. */
const closeMs = 1_000;

interface Pointer {
  readonly jobId: number;
}

/**
 * Creates the dispatcher that uses BullMQ: each process offers pointers to pending rows; a worker with a free slot takes one and claims
 * its row. An entry is removed when it ends in any way, since adding an id that still exists is silently ignored.
 */
export function createBullmqDispatcher(options: { readonly redisUrl: string; readonly log: Log; readonly prefix?: string }): JobDispatcher {
  const prefix = options.prefix ?? "homesec";
  const connection = { url: options.redisUrl, maxRetriesPerRequest: null, enableOfflineQueue: false } as const;
  const queues = new Map<string, Queue<Pointer>>();
  const onRedisError = createRedisErrorLog(options.log);

  const queueOf = (name: string): Queue<Pointer> => {
    const known = queues.get(name);
    if (known) return known;
    const queue = new Queue<Pointer>(name, { connection, prefix, defaultJobOptions: { removeOnComplete: true, removeOnFail: true } });
    queue.on("error", onRedisError);
    queues.set(name, queue);
    return queue;
  };

  return {
    kind: "bullmq",
    ...wakers((name, consume) => consumeFrom(queueOf(name), { connection, prefix, onRedisError }, consume)),
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => within(closeMs, () => queue.close()).catch(onRedisError)));
    },
  };
}

/** Creates the function that logs errors of Redis. It limits them: Redis is down for all queues at once, and each connection notices every second. */
function createRedisErrorLog(log: Log): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - loggedAt < logEveryMs) return;
    loggedAt = performance.now();
    const message = error instanceof Error ? error.message : String(error);
    log.warn({ error: message }, "Redis (REDIS_URL) does not answer; work waits until it does");
  };
}

interface RedisOptions {
  readonly connection: { readonly url: string; readonly maxRetriesPerRequest: null };
  readonly prefix: string;
  readonly onRedisError: (error: unknown) => void;
}

function consumeFrom<J extends Pointer>(queue: Queue<Pointer>, redis: RedisOptions, consume: ConsumeOptions<J>): WakeableConsumer {
  const { source, onError } = consume;
  const running = new Set<J>();
  const handling = new Set<Promise<void>>();
  const stopping = new AbortController();
  let claiming = 0;
  let sweeping: Promise<unknown> | undefined;
  const freeSlots = (): number => consume.capacity() - running.size - claiming;

  // Resolves to whether the entry was processed; otherwise it is offered again
  const process = async ({ jobId }: Pointer): Promise<boolean> => {
    // Meanwhile the others stay in Redis, for processes with a free slot
    if (freeSlots() <= 0) await sleep(sweepMs, undefined, { signal: stopping.signal }).catch(() => {});
    // A sweep would mistake a job that is being claimed for an orphan
    while (sweeping) await sweeping;
    if (stopping.signal.aborted || freeSlots() <= 0) return false;
    claiming += 1;
    let job: J | undefined;
    try {
      job = await source.claim(jobId);
      if (job) running.add(job);
    } finally {
      claiming -= 1;
    }
    if (job) await handle(job);
    return true;
  };
  const handle = (job: J): Promise<void> => {
    const handled = consume
      .handle(job, () => {})
      .finally(() => {
        running.delete(job);
        handling.delete(handled);
      });
    handling.add(handled);
    return handled;
  };

  const worker = startWorker(queue.name, redis, consume, process);
  const poller = startPoller(async (sweepDue) => {
    if (claiming === 0 && sweepDue()) {
      sweeping = source.freeOrphans([...running].map(({ jobId }) => jobId)).finally(() => {
        sweeping = undefined;
      });
      await sweeping;
    }
    const most = Math.min(offeredAtOnce, freeSlots());
    if (most > 0) await queue.addBulk((await source.offer(most)).map(entryOf));
    return false;
  }, onError);

  return {
    wake: poller.wake,
    running: () => running.size,
    heartbeat: poller.lastPollAt,
    stop: async () => {
      stopping.abort();
      await poller.stop();
      await worker.pause(true);
      await Promise.allSettled(handling);
      await within(closeMs, () => worker.close()).catch(redis.onRedisError);
    },
  };
}

function startWorker<J extends Pointer>(
  name: string,
  { connection, prefix, onRedisError }: RedisOptions,
  { concurrency, source, onError }: ConsumeOptions<J>,
  process: (entry: Pointer) => Promise<boolean>,
): Worker<Pointer, boolean> {
  const worker = new Worker<Pointer, boolean>(name, (entry) => process(entry.data), {
    // A worker's commands wait until Redis is back. If refused at once, it would repeat them at once and block everything else.
    connection: { ...connection, enableOfflineQueue: true },
    prefix,
    concurrency,
    lockDuration: 30_000,
    maxStalledCount: 1_000_000,
  });
  worker.on("error", onRedisError);
  // Not before the entry is removed from Redis: another one for the job would be ignored
  worker.on("completed", (entry, wasProcessed) => {
    if (!wasProcessed) source.withdrawOffer(entry.data.jobId).catch(onError);
  });
  worker.on("failed", (_entry, error) => onError(error));
  return worker;
}

/** A killed process leaves its entry behind for a minute, under the number of its claim. */
const entryOf = ({ jobId, claims, priority }: JobOffer) => ({
  name: "job",
  data: { jobId },
  opts: { jobId: `job-${jobId}-${claims}`, priority: priority + 1 },
});
