import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeOver, thisProcess } from "../../../daemon/cluster/own-process.ts";
import { createCaretaker } from "../../../daemon/workers/caretaker.ts";
import { takeCleanup } from "../../../src/admin/retention/nightly.ts";
import type { Clock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { addJobs, countJobs } from "../../../src/work/jobs/jobs-repository.ts";
import { recordHeartbeat } from "../../../src/work/jobs/processes-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

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

/** A caretaker of a healthy daemon that is alone. */
const newCaretaker = () =>
  createCaretaker({
    ...{ db: database.db, clock, log: silentLog, cameraOfflineAfterSeconds: 3_600 },
    beat: (sql) => recordHeartbeat(sql, own),
    checksCameras: () => true,
    watchedElsewhere: () => false,
    reidTtlHours: 24,
    detectorDown: () => undefined,
    watching: () => true,
  });
const hasBeaten = async () => (await database.db.query((sql) => sql`select 1 from processes`)).length === 1;
const hasNotedAJump = async () => (await database.db.query((sql) => sql`select 1 from chores where name = 'clock_jumped'`)).length === 1;

test("caretaker: after the clock was set back, delayed jobs do not wait for hours", async () => {
  let freed = 0;
  const caretaker = newCaretaker();
  await addJob();
  const unsubscribe = database.db.onCommitted((note) => {
    if (note === "jobs:detect") freed += 1;
  });
  await caretaker.start();
  try {
    await eventually(hasBeaten);
    expect(await waiting()).toBe(0);
    offsetMs = -hourMs;
    await eventually(async () => (await waiting()) === 1);
    expect(freed).toBe(1);
  } finally {
    unsubscribe();
    await caretaker.stop();
  }
});

test.each([-300, 300])(
  "caretaker: a clock jump of %d days is recorded, so that nothing that only seems old is deleted; a step of an hour is not",
  async (days) => {
    const caretaker = newCaretaker();
    const cleanup = (at: Date) => database.db.transaction((sql) => takeCleanup(sql, at));
    await cleanup(clock.now());
    await caretaker.start();
    try {
      await eventually(hasBeaten);
      offsetMs = hourMs;
      await sleep(1_500);
      expect(await hasNotedAJump()).toBe(false);
      offsetMs = days * 24 * hourMs;
      await eventually(hasNotedAJump);
      expect(await cleanup(new Date(clock.now().getTime() + 26 * hourMs))).toHaveProperty("heldUntil");
    } finally {
      await caretaker.stop();
    }
  },
);

test("caretaker: delayed jobs do not wait if the clock was set back while no daemon ran", async () => {
  await addJob();
  offsetMs = -hourMs;
  await takeOver(database.db, own, false, clock.now());
  expect(await waiting()).toBe(1);
});
