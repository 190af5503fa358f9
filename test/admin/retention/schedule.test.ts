import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCleanupService } from "../../../daemon/workers/cleanup-service.ts";
import { lastCleanup, lastDue, nextDue, noteJump } from "../../../src/admin/retention/nightly.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { diskSpace } from "../../../src/platform/disk/disk.ts";
import { eventually } from "../../support/eventually.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { storedPast } from "./stored-past.ts";

describe("due time", () => {
  it.each([
    ["2026-03-01T12:00:00", "2026-03-01T03:00:00", "2026-03-02T03:00:00"],
    ["2026-03-01T03:00:00", "2026-03-01T03:00:00", "2026-03-02T03:00:00"],
    ["2026-03-01T02:59:59.999", "2026-02-28T03:00:00", "2026-03-01T03:00:00"],
    ["2026-01-01T00:00:00", "2025-12-31T03:00:00", "2026-01-01T03:00:00"],
  ])("due time: at %s local time", (now, last, next) => {
    expect(lastDue(new Date(now))).toEqual(new Date(last));
    expect(nextDue(new Date(now))).toEqual(new Date(next));
  });

  it("due time: comes once each night, including nights with a clock change", () => {
    const hours = Array.from({ length: 24 * 400 }, (_, hour) => new Date(2026, 0, 1, hour, 30));
    // Where the clock skips three, it is four.
    expect(hours.filter((now) => ![3, 4].includes(nextDue(now).getHours()))).toEqual([]);
    expect(hours.filter((now) => !(lastDue(now) <= now && now < nextDue(now)))).toEqual([]);
    expect(hours.filter((now) => nextDue(lastDue(now)).getTime() !== nextDue(now).getTime())).toEqual([]);
  });
});

describe("cleanup worker", () => {
  let desk: Desk;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await desk.close();
  });
  const start = async () => {
    const worker = createCleanupService(
      { ...desk.context, log: silentLog },
      { data: () => diskSpace(desk.dataDir), pictures: async () => undefined, onNews: () => {} },
    );
    await worker.start();
    stops.push(() => worker.stop());
    return worker;
  };

  /** Waits until a first run was before the clock moves: without an earlier one, no step is a jump. */
  const firstRun = () => eventually(() => desk.db.query((sql) => lastCleanup(sql)), { what: "the first cleanup" });

  it("cleanup worker: runs at three, in one of several processes, and catches up on a missed night", async () => {
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    await past.event(31);
    const workers = [await start(), await start()];
    const wake = async () => {
      for (const worker of workers) worker.wake();
      await new Promise((resolve) => setTimeout(resolve, 200));
    };
    await wake();
    expect(await past.count("events")).toBe(1);
    desk.at(new Date(2026, 2, 2, 2, 59));
    await wake();
    expect(await past.count("events")).toBe(1);
    desk.at(new Date(2026, 2, 2, 3, 0));
    await wake();
    await eventually(async () => (await past.count("events")) === 0);
    await past.event(31);
    await wake();
    expect(await past.count("events")).toBe(1);
    for (const stop of stops.splice(0)) await stop();
    desk.at(new Date(2026, 2, 3, 10));
    await start();
    await eventually(async () => (await past.count("events")) === 0);
  });

  it("cleanup worker: deletes nothing for a week after a clock jump, reports that, and resumes when the clock is set back", async () => {
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    const worker = await start();
    await firstRun();
    const message = (): string => String(worker.message?.());
    await past.event(31);
    await past.event(1);
    const wake = async (): Promise<void> => {
      worker.wake();
      await new Promise((resolve) => setTimeout(resolve, 200));
    };
    await wake();
    desk.at(new Date(2027, 5, 1, 12));
    await wake();
    desk.at(new Date(2027, 5, 7, 12));
    await wake();
    expect(await past.count("events")).toBe(2);
    expect(message()).toMatch(/^nothing is deleted by age until 2027-06-08.*`homesec cleanup` deletes now/);
    desk.at(new Date(2026, 2, 2, 12));
    await wake();
    await eventually(async () => (await past.count("events")) === 1);
    expect(message()).toBe("null");
  });

  it("cleanup worker: waits another week after a second jump", async () => {
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    const worker = await start();
    await firstRun();
    await past.event(1);
    for (const [month, day] of [
      [6, 1],
      [8, 1],
      [8, 6],
    ] as const) {
      desk.at(new Date(2026, month - 1, day, 12));
      worker.wake();
      await eventually(() => worker.message?.()?.startsWith(`nothing is deleted by age until 2026-0${month}-08`));
      expect(await past.count("events")).toBe(1);
    }
    // the days are sealed before: more of them than these take half a minute on a busy machine
    desk.at(new Date(2026, 7, 9, 12));
    worker.wake();
    await eventually(async () => (await past.count("events")) === 0);
  });

  it("cleanup worker: waits a week after a jump that was corrected before the next check, since data stored meanwhile seems old", async () => {
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    const worker = await start();
    await firstRun();
    const wake = async (): Promise<void> => {
      worker.wake();
      await new Promise((resolve) => setTimeout(resolve, 200));
    };
    await wake();
    // While the clock was 300 days behind for a moment.
    await desk.db.transaction((sql) => noteJump(sql, new Date(2025, 4, 5, 12)));
    await past.event(300);
    await desk.db.transaction((sql) => noteJump(sql, new Date(2026, 2, 1, 12, 1)));
    desk.at(new Date(2026, 2, 2, 3));
    await wake();
    await eventually(() => worker.message?.()?.startsWith("nothing is deleted by age until 2026-03-09"));
    desk.at(new Date(2026, 2, 8, 12));
    await wake();
    expect(await past.count("events")).toBe(1);
    desk.at(new Date(2026, 2, 9, 4));
    await wake();
    await eventually(async () => (await past.count("events")) === 0);
    await eventually(() => worker.message?.() === null);
  });

  it("cleanup worker: a cleanup by hand confirms the clock and ends the wait", async () => {
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    const worker = await start();
    await firstRun();
    await desk.db.transaction((sql) => noteJump(sql, new Date(2026, 2, 1, 12)));
    await desk.ask("cleanUp");
    await past.event(31);
    desk.at(new Date(2026, 2, 2, 3));
    worker.wake();
    await eventually(async () => (await past.count("events")) === 0);
  });

  it.each(["after a week", "when a person cleans up"])("cleanup worker: after homesec was off for long, resumes %s", async (end) => {
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    await (await start()).stop();
    await past.event(0);
    desk.at(new Date(2026, 6, 1, 12));
    const worker = await start();
    await firstRun();
    await eventually(() => worker.message?.()?.startsWith("nothing is deleted by age"));
    expect(await past.count("events")).toBe(1);
    if (end === "after a week") {
      desk.at(new Date(2026, 6, 5, 12));
      worker.wake();
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await past.count("events")).toBe(1);
      desk.at(new Date(2026, 6, 9, 12));
    } else await desk.ask("cleanUp");
    worker.wake();
    await eventually(async () => (await past.count("events")) === 0);
    worker.wake();
    await eventually(() => worker.message?.() === null);
  });

  it("cleanup worker: runs again after a run at a time that the clock has left", async () => {
    desk.at(new Date(2027, 2, 1, 12));
    await (await start()).stop();
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    await past.event(31);
    await start();
    await eventually(async () => (await past.count("events")) === 0);
  });

  it("cleanup worker: retries a failed run", async () => {
    const past = await storedPast(desk, new Date(2026, 2, 1, 12));
    await (await start()).stop();
    await past.event(31);
    desk.at(new Date(2026, 2, 2, 4));
    await desk.db.query((sql) => sql`alter table analysis_attempts rename to analysis_attempts_away`);
    const worker = await start();
    await firstRun();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await desk.db.query((sql) => sql`alter table analysis_attempts_away rename to analysis_attempts`);
    expect(await past.count("events")).toBe(1);
    worker.wake();
    await eventually(async () => (await past.count("events")) === 0);
  });
});
