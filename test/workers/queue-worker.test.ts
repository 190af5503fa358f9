import { expect, test } from "vitest";
import { createQueueWorker } from "../../daemon/workers/queue-worker.ts";
import { systemClock } from "../../src/clock/clock.ts";
import type { Database } from "../../src/engines/database.ts";
import { createInProcessHandOver } from "../../src/engines/in-process-hand-over.ts";
import { addJobs, finishJob } from "../../src/jobs/jobs-repository.ts";
import { silentLog } from "../../src/log/log.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

const processId = "00000000-0000-4000-8000-000000000001";

test("a worker whose look at the rows hangs gives no sign of life; started again it works, and what hung takes nothing from it", async () => {
  const database = await testDatabase();
  const handOver = createInProcessHandOver();
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
        await database.db.query((sql) => finishJob(sql, job.jobId, processId));
        done.push(job.subject);
      },
      giveUp: async () => {},
    },
    capacity: () => Number.POSITIVE_INFINITY,
    handOver,
    db,
    processId,
    clock: systemClock,
    log: silentLog,
    onDone: () => {},
  });
  const add = async (subject: string): Promise<void> => {
    await database.db.query((sql) => addJobs(sql, "analyze", [{ subject, priority: 0, position: new Date(), availableAt: new Date() }]));
    handOver.wake("analyze");
  };
  await worker.start();
  const frozen = worker.heartbeat();
  await add("1");
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  expect(worker.heartbeat()).toBe(frozen);
  expect(done).toEqual([]);

  // as the supervisor does: it waits for the stuck run for a while only
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
  await handOver.close();
  await database.close();
});
