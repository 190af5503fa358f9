import { expect, test } from "vitest";
import { createQueueWorker } from "../../../daemon/workers/queue-worker.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { createInProcessDispatcher } from "../../../src/platform/store/in-process-dispatcher.ts";
import { addJobs, finishJob } from "../../../src/work/jobs/jobs-repository.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

const processId = "00000000-0000-4000-8000-000000000001";

test("queue worker: with a hung query it sends no heartbeat; after a restart it works, and the old query claims no job", async () => {
  const database = await testDatabase();
  const dispatcher = createInProcessDispatcher();
  let comeBack = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    comeBack = resolve;
  });
  let hangs = true;
  const db: Database = {
    ...database.db,
    query: async (work) => {
      if (hangs) await hanging;
      return await database.db.query(work);
    },
  };
  const done: string[] = [];
  const worker = createQueueWorker({
    name: "analysis_worker",
    queue: "analyze",
    critical: true,
    concurrency: 2,
    leaseMs: 60_000,
    stage: {
      run: async (job) => {
        await database.db.query((sql) => finishJob(sql, job));
        done.push(job.subject);
      },
      stopRetrying: async () => {},
    },
    capacity: () => Number.POSITIVE_INFINITY,
    dispatcher,
    db,
    processId,
    clock: systemClock,
    log: silentLog,
    onDone: () => {},
  });
  const add = async (subject: string): Promise<void> => {
    await database.db.query((sql) => addJobs(sql, "analyze", [{ subject, priority: 0, position: new Date(), availableAt: new Date() }]));
    dispatcher.wake("analyze");
  };
  await worker.start();
  const frozen = worker.heartbeat();
  await add("1");
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  expect(worker.heartbeat()).toBe(frozen);
  expect(done).toEqual([]);

  // as the supervisor does: it waits only for a while for the stuck run
  const stopped = worker.stop();
  hangs = false;
  await worker.start();
  await eventually(() => done.length === 1);
  expect(worker.heartbeat()).toBeGreaterThan(frozen);
  comeBack();
  await stopped;
  await add("2");
  await eventually(() => done.length === 2);
  const before = worker.heartbeat();
  await eventually(() => worker.heartbeat() > before, { what: "the heartbeat of the run that works" });
  await worker.stop();
  await add("3");
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(done).toEqual(["1", "2"]);
  await dispatcher.close();
  await database.close();
});

test("queue worker: a run that exceeds its lease is retried once, and its late result is rolled back", async () => {
  const database = await testDatabase();
  const dispatcher = createInProcessDispatcher();
  let aheadMs = 0;
  const runs: (() => void)[] = [];
  const ended: number[] = [];
  const worker = createQueueWorker({
    name: "analysis_worker",
    queue: "analyze",
    critical: true,
    concurrency: 3,
    leaseMs: 60_000,
    stage: {
      run: async (job) => {
        const number = runs.length + 1;
        await new Promise<void>((resolve) => runs.push(resolve));
        await database.db.transaction((sql) => finishJob(sql, job));
        ended.push(number);
      },
      stopRetrying: async () => {},
    },
    capacity: () => Number.POSITIVE_INFINITY,
    dispatcher,
    db: database.db,
    processId,
    clock: { now: systemClock.now, monotonic: () => systemClock.monotonic() + aheadMs },
    log: silentLog,
    onDone: () => {},
  });
  await database.db.query((sql) => addJobs(sql, "analyze", [{ subject: "1", priority: 0, position: new Date(), availableAt: new Date() }]));
  await worker.start();
  await eventually(() => runs.length === 1);
  aheadMs = 61_000;
  await eventually(() => runs.length === 2);
  runs[0]?.();
  // two sweeps: the second run is not mistaken for an orphan after the first one has ended
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  expect([runs.length, ended]).toEqual([2, []]);
  runs[1]?.();
  await eventually(() => ended.length === 1);
  expect(ended).toEqual([2]);
  expect(await database.db.query((sql) => sql`select 1 from jobs`)).toHaveLength(0);
  await worker.stop();
  await dispatcher.close();
  await database.close();
});
