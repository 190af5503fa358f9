import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeOver, thisProcess } from "../../daemon/peers/own-process.ts";
import { createCaretaker } from "../../daemon/workers/caretaker.ts";
import type { Clock } from "../../src/clock/clock.ts";
import { addJobs, countJobs } from "../../src/jobs/jobs-repository.ts";
import { beatProcess } from "../../src/jobs/processes-repository.ts";
import { silentLog } from "../../src/log/log.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

const hourMs = 3_600_000;
let database: TestDatabase;
let offsetMs: number;
const clock: Clock = { now: () => new Date(Date.now() + offsetMs), monotonic: () => performance.now() };
const own = thisProcess(randomUUID(), "1");

beforeEach(async () => {
  database = await testDatabase();
  offsetMs = 0;
});
afterEach(() => database.close());

const addJob = () =>
  database.db.query((sql) =>
    addJobs(sql, "detect", [{ subject: "1", priority: 0, position: clock.now(), availableAt: new Date(clock.now().getTime() + 5_000) }]),
  );
const waiting = async () => (await database.db.query((sql) => countJobs(sql, clock.now()))).detect.waiting;

test("when the clock is set back, what waits for its time does not wait for hours more", async () => {
  let freed = 0;
  const caretaker = createCaretaker({
    ...{ db: database.db, clock, log: silentLog, cameraOfflineAfterSeconds: 3_600 },
    beat: (sql) => beatProcess(sql, own),
    judges: () => true,
    judgedElsewhere: () => false,
    reidTtlHours: 24,
    detectorDown: () => undefined,
    onFreed: () => {
      freed += 1;
    },
    watching: () => true,
    onCameras: () => {},
  });
  await addJob();
  await caretaker.start();
  try {
    await eventually(async () => (await database.db.query((sql) => sql`select 1 from processes`)).length === 1);
    expect(await waiting()).toBe(0);
    offsetMs = -hourMs;
    await eventually(async () => (await waiting()) === 1, { timeoutMs: 3_000 });
    expect(freed).toBe(1);
  } finally {
    await caretaker.stop();
  }
});

test("nor when it was set back while nobody ran", async () => {
  await addJob();
  offsetMs = -hourMs;
  await takeOver(database.db, own, false, clock.now());
  expect(await waiting()).toBe(1);
});
