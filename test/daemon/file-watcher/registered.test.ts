import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type Home, numbered, picture, sleep, watchedHome } from "./watched-home.ts";

/** Pictures registered after an event, at the next listing of their folder. */

let home: Home;
const statCalls = new Map<string, number>();
const { lstat } = promises;

beforeEach(async () => {
  home = await watchedHome({ timings: { rescanMs: 2_000 } });
  statCalls.clear();
  const counted: typeof lstat = Object.assign((path: string, ...rest: never[]) => {
    statCalls.set(String(path), (statCalls.get(String(path)) ?? 0) + 1);
    return lstat(path, ...rest);
  });
  promises.lstat = counted;
  // updates the names that other modules imported
  syncBuiltinESMExports();
});
afterEach(async () => {
  promises.lstat = lstat;
  syncBuiltinESMExports();
  await home.close();
});

it("registered pictures: the next listing does not query them again, and a changed one is processed", async () => {
  const jpeg = await picture();
  const folder = join(home.root, "front");
  await promises.mkdir(folder);
  await promises.writeFile(join(folder, "first.jpg"), jpeg);
  await home.watcher.start();
  await home.entries(1);
  for (let n = 0; n < 100; n += 1) {
    await promises.writeFile(join(home.outside, `${n}.jpg`), numbered(jpeg, n));
    await promises.rename(join(home.outside, `${n}.jpg`), join(folder, `${n}.jpg`));
    await sleep(20);
  }
  await home.entries(101);
  // a listing may have begun before the last picture was in the ledger
  await eventually(async () => {
    statCalls.clear();
    await sleep(4_500);
    return ![...statCalls.keys()].some((path) => /\/front\/\d+\.jpg$/.test(path));
  });

  await promises.writeFile(join(folder, "7.jpg"), numbered(jpeg, 1_007));
  const ledger = await home.entries(102);
  expect(ledger.filter(({ path }) => path === "front/7.jpg")).toHaveLength(2);
});
