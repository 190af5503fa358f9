import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { WatchTime } from "../../../daemon/workers/watch-time.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(() => database.db.query((sql) => emptyTables(sql, "chores")));

const minute = 60_000;
const noon = Date.parse("2026-03-01T12:00:00Z");
const at = (minutes: number): Date => new Date(noon + minutes * minute);

/** Rounds every ten seconds from one minute to another. Returns the minutes since noon of the last result. */
async function rounds(watchTime: WatchTime, from: number, to: number, isWatching = true) {
  let last = await watchTime.note(at(from), isWatching);
  for (let ms = from * minute; ms <= to * minute; ms += 10_000) last = await watchTime.note(new Date(noon + ms), isWatching);
  return [last.listeningSince, last.watchedSince].map((time) => (time.getTime() - noon) / minute);
}

test("watch time: a restart of a few minutes restarts the exact count and not the long one", async () => {
  expect(await rounds(new WatchTime(database.db), 0, 60)).toEqual([0, 0]);
  expect(await rounds(new WatchTime(database.db), 64, 70)).toEqual([64, 0]);
});

test("watch time: a longer pause restarts both counts", async () => {
  await rounds(new WatchTime(database.db), 0, 60);
  expect(await rounds(new WatchTime(database.db), 100, 110)).toEqual([100, 100]);
});

test("watch time: a suspended machine is a gap, and a stopped watcher is one while it lasts", async () => {
  const watchTime = new WatchTime(database.db);
  await rounds(watchTime, 0, 10);
  expect(await rounds(watchTime, 15, 20)).toEqual([15, 0]);
  expect(await rounds(watchTime, 20, 25, false)).toEqual([25, 0]);
  expect(await rounds(watchTime, 25, 30)).toEqual([25, 0]);
  expect((await rounds(watchTime, 30, 60, false))[1]).toBe(60);
});
