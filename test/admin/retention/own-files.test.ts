import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createCleanupService } from "../../../daemon/workers/cleanup-service.ts";
import { createFileCleaner } from "../../../daemon/workers/file-cleaner.ts";
import { localDay } from "../../../src/base/clock/calendar.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { diskSpace } from "../../../src/platform/disk/disk.ts";
import { eventually } from "../../support/eventually.ts";
import type { Desk } from "../../support/operations.ts";
import { keptThumbnail, pastDesks } from "./stored-past.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const open = pastDesks();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A second daemon on the desk's database, with another data folder. */
const secondDaemon = async (desk: Desk) => {
  const dataDir = join(desk.dataDir, "second");
  const write = async (path: string): Promise<void> => {
    await mkdir(dirname(join(dataDir, path)), { recursive: true });
    await writeFile(join(dataDir, path), "x");
  };
  const { db, clock, config } = desk.context;
  const cleaner = createFileCleaner({ db, clock, config: { dataDir, logRetentionDays: config.logRetentionDays }, log: silentLog });
  return {
    writeLog: (day: string) => write(join("logs", `${day}.ndjson`)),
    writeThumbnail: (id: number) => write(keptThumbnail(id)),
    logs: async () => (await readdir(join(dataDir, "logs"))).map((name) => name.slice(0, 10)).toSorted(),
    thumbnails: async () => (await readdir(join(dataDir, dirname(keptThumbnail(1))))).length,
    start: async () => {
      await cleaner.start();
      stops.push(() => cleaner.stop());
    },
    /** Makes it check now, and waits for that. */
    look: async () => {
      cleaner.wake();
      await new Promise((resolve) => setTimeout(resolve, 300));
    },
  };
};

it("own files: a daemon that does not run the cleanup deletes its old logs and orphaned thumbnails afterwards", async () => {
  const { desk, past } = await open();
  const first = createCleanupService(
    { ...desk.context, log: silentLog },
    { data: () => diskSpace(desk.dataDir), pictures: async () => undefined, onNews: () => {} },
  );
  await first.start();
  stops.push(() => first.stop());
  const kept = await past.detection(1);
  const old = await past.detection(29);
  const second = await secondDaemon(desk);
  const keptDays = desk.context.config.logRetentionDays;
  const day = (daysAgo: number): string => localDay(new Date(desk.context.clock.now().getTime() - daysAgo * dayMs));
  const lastKept = day(keptDays - 2);
  const due = day(keptDays);
  for (const each of [due, lastKept]) await second.writeLog(each);
  for (const id of [kept, old]) await second.writeThumbnail(id);
  await second.start();

  // A night later, before any cleanup.
  desk.at(new Date(past.now.getTime() + 2 * dayMs));
  await second.look();
  expect(await second.logs()).toEqual([due, lastKept]);

  first.wake();
  await eventually(async () => (await past.count("detections")) === 1);
  await second.look();
  expect([await second.logs(), await second.thumbnails()]).toEqual([[due, lastKept], 2]);

  desk.at(new Date(past.now.getTime() + 2 * dayMs + 11 * minuteMs));
  await second.look();
  await eventually(async () => (await second.thumbnails()) === 1);
  expect(await second.logs()).toEqual([lastKept]);
});

it("own files: stay while the cleanup is on hold after a clock jump", async () => {
  const { desk, past } = await open();
  const first = createCleanupService(
    { ...desk.context, log: silentLog },
    { data: () => diskSpace(desk.dataDir), pictures: async () => undefined, onNews: () => {} },
  );
  await first.start();
  stops.push(() => first.stop());
  const second = await secondDaemon(desk);
  const today = localDay(past.now);
  await second.writeLog(today);
  await second.start();
  desk.at(new Date(past.now.getTime() + 400 * dayMs));
  first.wake();
  await eventually(() => String(first.message?.()).includes("nothing is deleted by age"));
  await second.look();
  expect(await second.logs()).toEqual([today]);
});
