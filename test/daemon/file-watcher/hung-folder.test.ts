import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type HungFolder, hangFolder } from "../../support/hung-folder.ts";
import { type Home, numbered, picture, until, watchedHome } from "./watched-home.ts";

let home: Home;
let hung: HungFolder | undefined;
beforeEach(async () => {
  home = await watchedHome({ timings: { rescanMs: 300 } });
});
afterEach(async () => {
  hung?.answer();
  hung = undefined;
  await home.close();
});

let uploads = 0;
async function upload(camera: string): Promise<void> {
  uploads += 1;
  const folder = join(home.root, camera);
  const bytes = numbered(await picture(), uploads);
  // at once: the folder hangs only for homesec, not for the uploading camera
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${uploads}.part`), bytes);
  renameSync(join(folder, `${uploads}.part`), join(folder, `${uploads}.jpg`));
}
const ofCamera = async (camera: string): Promise<number> => (await home.ledger()).filter((entry) => entry.camera === camera).length;

test("hung folder: one that hangs at the start delays no other camera, is asked once, and is read when it answers", async () => {
  for (const camera of ["yard", "door"]) await upload(camera);
  await home.watcher.start();
  await home.entries(2);
  await home.watcher.stop();

  for (const camera of ["yard", "door"]) await upload(camera);
  hung = hangFolder(join(home.root, "yard"));
  const watcher = home.renew();
  home.watcher = watcher;
  const begun = performance.now();
  await watcher.start();
  // the supervisor reports a start that takes 5 s
  expect(performance.now() - begun).toBeLessThan(5_000);
  await until(async () => (await ofCamera("door")) === 2);
  expect(home.problems.get("yard")).toContain("yard does not answer; reconnect its disk or share");
  expect([...home.problems.keys()]).toEqual(["yard"]);
  // several plans later
  await upload("door");
  await until(async () => (await ofCamera("door")) === 3);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(hung.waiting).toBe(1);
  expect(await ofCamera("yard")).toBe(1);

  hung.answer();
  await until(async () => (await ofCamera("yard")) === 2);
  await until(() => home.problems.size === 0);
});

test("hung folder: one that hangs later is reported, and the others work as before", async () => {
  await home.watcher.stop();
  home.watcher = home.renew({ polling: true, timings: { rescanMs: 300, pollMs: 100 } });
  for (const camera of ["a-yard", "door"]) await upload(camera);
  await home.watcher.start();
  await home.entries(2);
  hung = hangFolder(join(home.root, "a-yard"));
  await until(() => home.problems.get("a-yard")?.includes("does not answer"), 12_000);
  // found by polling only
  await upload("door");
  await until(async () => (await ofCamera("door")) === 2);
  await upload("a-yard");
  hung.answer();
  await until(async () => (await ofCamera("a-yard")) === 2);
  await until(() => home.problems.size === 0);
});
