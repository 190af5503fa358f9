import { describe, expect, test } from "vitest";
import { createSemaphore } from "../../../src/base/async/semaphore.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { createBullmqDispatcher } from "../../../src/platform/store/bullmq-dispatcher.ts";
import { createInProcessDispatcher } from "../../../src/platform/store/in-process-dispatcher.ts";
import type { JobDispatcher, JobSource } from "../../../src/platform/store/job-dispatcher.ts";
import { eventually } from "../../support/eventually.ts";
import { redisInstalled, redisServer } from "../../support/redis.ts";
import { timed } from "../../support/timed.ts";

interface Job {
  readonly jobId: number;
}

/** Rows in memory with the semantics of the table: a claimed row belongs to one claimer. */
function rows(count: number) {
  const pending = new Map(Array.from({ length: count }, (_, n) => [n + 1, false]));
  const take = (jobId: number): Job | undefined => (pending.delete(jobId) ? { jobId } : undefined);
  const source: JobSource<Job> = {
    claimNext: async (limit) => [...pending.keys()].slice(0, limit).flatMap((jobId) => take(jobId) ?? []),
    claim: async (jobId) => take(jobId),
    offer: async (limit) => {
      const offered = [...pending].filter(([, was]) => !was).slice(0, limit);
      for (const [jobId] of offered) pending.set(jobId, true);
      return offered.map(([jobId]) => ({ jobId, priority: 0, claims: 0 }));
    },
    withdrawOffer: async (jobId) => pending.has(jobId) && pending.set(jobId, false),
    freeOrphans: async () => 0,
  };
  return { pending, source };
}

function dispatcherContract(name: string, make: () => Promise<{ readonly dispatcher: JobDispatcher; close(): Promise<void> }>): void {
  describe(name, () => {
    test("dispatcher: handles every job once, within the concurrency limit, and stop waits for running jobs", async () => {
      const { dispatcher, close } = await make();
      const { pending, source } = rows(100);
      const done: number[] = [];
      let inside = 0;
      let most = 0;
      const errors: unknown[] = [];
      const consumer = dispatcher.consume("detect", {
        concurrency: 3,
        source,
        capacity: () => Number.POSITIVE_INFINITY,
        handle: async ({ jobId }) => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise((resolve) => setTimeout(resolve, 5));
          inside -= 1;
          done.push(jobId);
        },
        onError: (error) => errors.push(error),
      });
      dispatcher.wake("detect");
      await eventually(() => pending.size < 50);
      await consumer.stop();
      const atStop = done.length;
      expect(inside).toBe(0);
      expect(done.length + pending.size).toBe(100);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(done.length).toBe(atStop);
      expect(new Set(done).size).toBe(done.length);
      expect(most).toBeLessThanOrEqual(3);
      expect(errors).toEqual([]);
      await close();
    });

    test("dispatcher: while the service is down nothing starts, then one job is the trial, and the others follow", async () => {
      const { dispatcher, close } = await make();
      const { source } = rows(6);
      let capacity = 0;
      let running = 0;
      const counts: number[] = [];
      const consumer = dispatcher.consume("detect", {
        concurrency: 4,
        source,
        capacity: () => capacity,
        handle: async () => {
          running += 1;
          counts.push(running);
          await new Promise((resolve) => setTimeout(resolve, 30));
          capacity = Number.POSITIVE_INFINITY;
          running -= 1;
        },
        onError: () => {},
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(counts).toEqual([]);
      capacity = 1;
      dispatcher.wake("detect");
      await eventually(() => counts.length >= 1);
      expect(counts).toEqual([1]);
      await eventually(() => counts.length === 6);
      await consumer.stop();
      await close();
    });
  });
}

dispatcherContract("in this process", async () => {
  const dispatcher = createInProcessDispatcher();
  return { dispatcher, close: () => dispatcher.close() };
});

/** Processes jobs that last `lastsMs` in three slots, and returns the maximum number of claimed jobs. */
async function mostClaimed(count: number, lastsMs: number): Promise<number> {
  const dispatcher = createInProcessDispatcher();
  const { source } = rows(count);
  const turns = createSemaphore({ max: 3 });
  let [claimed, most, done] = [0, 0, 0];
  const consumer = dispatcher.consume("detect", {
    concurrency: 3,
    maxAhead: 6,
    source,
    capacity: () => Number.POSITIVE_INFINITY,
    handle: async () => {
      claimed += 1;
      most = Math.max(most, claimed);
      await turns.run(() => new Promise((resolve) => setTimeout(resolve, lastsMs)));
      claimed -= 1;
      done += 1;
    },
    onError: (error) => expect.fail(String(error)),
  });
  await eventually(() => done === count);
  await consumer.stop();
  return most;
}

test("dispatcher: claims fast jobs ahead up to a limit, but not slow ones, so that the most urgent job is next", async () => {
  const fast = await mostClaimed(300, 1);
  expect(fast).toBeGreaterThan(3);
  expect(fast).toBeLessThanOrEqual(9);
  expect(await mostClaimed(9, 100)).toBe(3);
});

if (redisInstalled) {
  dispatcherContract("through BullMQ", async () => {
    const redis = await redisServer();
    const dispatcher = createBullmqDispatcher({ redisUrl: redis.url, log: silentLog });
    return {
      dispatcher,
      close: async () => {
        await dispatcher.close();
        await redis.stop();
      },
    };
  });

  const idle: JobSource<Job> = { ...rows(0).source };

  test("dispatcher: after an outage one of the jobs in Redis is the trial, and the others follow within seconds", async () => {
    const redis = await redisServer();
    const dispatcher = createBullmqDispatcher({ redisUrl: redis.url, log: silentLog });
    const { source } = rows(8);
    let capacity = Number.POSITIVE_INFINITY;
    let end = (): void => {};
    const trial = new Promise<void>((resolve) => {
      end = resolve;
    });
    const begun: number[] = [];
    const consumer = dispatcher.consume("detect", {
      concurrency: 4,
      source: {
        ...source,
        offer: async (limit) => {
          const offers = await source.offer(limit);
          if (offers.length > 0) capacity = 1;
          return offers;
        },
        claim: async (jobId) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          return await source.claim(jobId);
        },
      },
      capacity: () => capacity,
      handle: async ({ jobId }) => {
        begun.push(jobId);
        await trial;
      },
      onError: (error) => expect.fail(String(error)),
    });
    await eventually(() => begun.length > 0);
    // Longer than an entry waits for a slot: some of them were discarded
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(begun).toHaveLength(1);
    end();
    await eventually(() => {
      capacity = Number.POSITIVE_INFINITY;
      return begun.length === 8;
    });
    await consumer.stop();
    await dispatcher.close();
    await redis.stop();
  });

  test("dispatcher: a job of a killed process continues as soon as its row is free, not when Redis drops the entry", async () => {
    const redis = await redisServer();
    const [killed, living] = [0, 1].map(() => createBullmqDispatcher({ redisUrl: redis.url, log: silentLog })) as [
      JobDispatcher,
      JobDispatcher,
    ];
    const common = { concurrency: 1, capacity: () => Number.POSITIVE_INFINITY, onError: () => {} };
    let end = (): void => {};
    const begun = new Promise<void>((resolve) => {
      killed.consume("detect", {
        ...common,
        source: rows(1).source,
        handle: () => {
          resolve();
          return new Promise((done) => {
            end = done;
          });
        },
      });
    });
    await begun;
    let free = false;
    const done: number[] = [];
    const source: JobSource<Job> = {
      ...idle,
      offer: async () => {
        const offers = free ? [{ jobId: 1, priority: 0, claims: 1 }] : [];
        free = false;
        return offers;
      },
      claim: async (jobId) => ({ jobId }),
    };
    const consumer = living.consume("detect", { ...common, source, handle: async ({ jobId }) => void done.push(jobId) });
    free = true;
    living.wake("detect");
    await eventually(() => done.length === 1);
    end();
    await consumer.stop();
    await Promise.all([killed.close(), living.close()]);
    await redis.stop();
  });

  test("dispatcher: stops quickly without Redis, and logs the problem once", timed, async () => {
    const redis = await redisServer();
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_fields: object, message: string) => void warnings.push(message) };
    const dispatcher = createBullmqDispatcher({ redisUrl: redis.url, log });
    const errors: unknown[] = [];
    const consumers = ["detect", "analyze"].map((queue) =>
      dispatcher.consume(queue, {
        ...{ concurrency: 1, source: idle, capacity: () => Number.POSITIVE_INFINITY, handle: async () => {} },
        onError: (error) => errors.push(error),
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    await redis.stop();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(warnings).toEqual([expect.stringContaining("Redis (REDIS_URL) does not answer")]);
    expect(errors).toEqual([]);
    const startedAt = performance.now();
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await dispatcher.close();
    expect(performance.now() - startedAt).toBeLessThan(2_500);
  });
}

test("dispatcher in process: a job whose outcome is being stored frees its slot, and stop waits for both", async () => {
  const dispatcher = createInProcessDispatcher();
  const { source } = rows(2);
  const begun: number[] = [];
  const ended: number[] = [];
  let write = (): void => {};
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const consumer = dispatcher.consume<Job>("detect", {
    concurrency: 1,
    capacity: () => Number.POSITIVE_INFINITY,
    source,
    handle: async ({ jobId }, freeSlot) => {
      begun.push(jobId);
      freeSlot();
      await written;
      ended.push(jobId);
    },
    onError: (error) => expect.fail(String(error)),
  });
  await eventually(() => begun.length === 2);
  expect([consumer.running(), ended]).toEqual([2, []]);
  const stopped = consumer.stop();
  write();
  await stopped;
  expect(ended).toEqual([1, 2]);
});

test("dispatcher in process: one claim fills slots that become free together, and a slot freed early causes none", async () => {
  const dispatcher = createInProcessDispatcher();
  const { pending, source } = rows(40);
  const claims: number[] = [];
  const done: number[] = [];
  const consumer = dispatcher.consume<Job>("detect", {
    concurrency: 4,
    capacity: () => Number.POSITIVE_INFINITY,
    source: {
      ...source,
      claimNext: async (limit) => {
        claims.push(limit);
        return await source.claimNext(limit);
      },
    },
    handle: async ({ jobId }, freeSlot) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      freeSlot();
      await new Promise((resolve) => setImmediate(resolve));
      done.push(jobId);
    },
    onError: (error) => expect.fail(String(error)),
  });
  await eventually(() => done.length === 40);
  expect(pending.size).toBe(0);
  // Ten claims of four, and the one that finds nothing; the sweep of a slow second may add some
  expect(claims.length).toBeLessThan(20);
  await consumer.stop();
});
