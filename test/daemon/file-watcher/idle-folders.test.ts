import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dayMs } from "../../../src/base/clock/clock.ts";
import { type Home, numbered, picture, sleep, until, watchedHome } from "./watched-home.ts";

let home: Home;
let jpeg: Buffer;
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs), monotonic: () => performance.now() + aheadMs };

const minutes = (hours: number): readonly string[] =>
  Array.from({ length: hours * 60 }, (_, n) => {
    const two = (number: number): string => String(number).padStart(2, "0");
    return join(home.root, "yard", "2026-11-20", two(Math.floor(n / 60)), two(n % 60));
  });

/** Creates a folder for each minute, as recorders do, with a last change some days ago. */
async function makeMinutes(hours: number, daysAgo: number): Promise<readonly string[]> {
  const folders = minutes(hours);
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const time = new Date(Date.now() - daysAgo * dayMs);
  for (const folder of folders) await utimes(folder, time, time);
  return folders;
}

beforeEach(async () => {
  aheadMs = 0;
  home = await watchedHome({ clock, timings: { rescanMs: 300 } });
  jpeg = await picture();
  await mkdir(join(home.root, "yard"));
  await writeFile(join(home.root, "yard", "first.jpg"), jpeg);
});
afterEach(() => home.close());

describe("idle folders", () => {
  it("empty folders of another day are not watched in a large tree, and a picture in one is still found", async () => {
    const folders = await makeMinutes(24, 3);
    await home.watcher.start();
    await until(() => home.watcher.idleFolders > 900);
    expect(home.watcher.idleFolders).toBeLessThan(folders.length);
    const places = [folders[0], folders[700], folders.at(-1)] as readonly string[];
    for (const [n, folder] of places.entries()) await writeFile(join(folder, "late.jpg"), numbered(jpeg, n + 1));
    const ledger = await home.entries(4);
    expect(ledger.filter(({ path }) => path.endsWith("late.jpg")).map(({ status }) => status)).toEqual(Array(3).fill("pending"));
    // and is watched from then on
    await writeFile(join(places[2] as string, "next.jpg"), numbered(jpeg, 9));
    await home.entries(5);
  });

  it("folders that were watched lose their watch after a day without a change", async () => {
    const folders = await makeMinutes(10, 0);
    await home.watcher.start();
    await home.entries(1);
    await sleep(1_000);
    expect(home.watcher.idleFolders).toBe(0);
    aheadMs = 2 * dayMs;
    await until(() => home.watcher.idleFolders > 90);
    for (const [n, folder] of folders.slice(0, 20).entries()) await writeFile(join(folder, "late.jpg"), numbered(jpeg, n + 1));
    await home.entries(21);
    // Which folders lost their watch depends on the speed of the machine: all of them are removed
    await rm(dirname(dirname(folders[0] as string)), { recursive: true });
    await until(() => home.watcher.idleFolders === 0);
    expect(home.warnings).toEqual([]);
  });

  it("a small tree watches every folder, however long it was empty", async () => {
    await makeMinutes(4, 30);
    await home.watcher.start();
    await home.entries(1);
    await sleep(1_000);
    expect(home.watcher.idleFolders).toBe(0);
  });
});
