import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, promises, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createPictureDisk } from "../../../src/platform/disk/picture-disk.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { timed } from "../../support/timed.ts";

const folder = temporaryFolder("picture-disk");
afterAll(() => folder.remove());

it("picture disk: is reported only if it is another disk, and not when it has disappeared", async () => {
  const cameraRoot = join(folder.path, "cameras");
  const look = createPictureDisk({ dataDir: folder.path, cameraRoot });
  expect(await look()).toBeUndefined();
  mkdirSync(cameraRoot);
  expect(await look()).toBeUndefined();
  // /proc is a separate file system on each Linux
  if (readdirSync("/").includes("proc")) {
    const other = createPictureDisk({ dataDir: folder.path, cameraRoot: "/proc" });
    expect(await Promise.all([other(), other()])).toMatchObject([{ totalBytes: 0 }, { totalBytes: 0 }]);
  }
  expect(await createPictureDisk({ dataDir: join(folder.path, "none"), cameraRoot })()).toBeUndefined();
});

it("picture disk: a disk that hangs times out, and gets no second operation until the first has ended", timed, async () => {
  const cameraRoot = join(folder.path, "hung");
  mkdirSync(cameraRoot);
  const pipes = Array.from({ length: 8 }, (_, number) => join(folder.path, `pipe-${number}`));
  execFileSync("mkfifo", pipes);
  // Without a writer, all threads for files hang, as on a share whose server is down
  const opening = pipes.map((path) => promises.open(path, "r"));
  const look = createPictureDisk({ dataDir: folder.path, cameraRoot });
  let writers: readonly number[] = [];
  try {
    await expect(look()).rejects.toThrow(`${cameraRoot} does not answer`);
    const begun = performance.now();
    await expect(look()).rejects.toThrow("does not answer");
    expect(performance.now() - begun).toBeLessThan(250);
  } finally {
    writers = pipes.map((path) => openSync(path, "r+"));
    for (const reader of await Promise.all(opening)) await reader.close();
    for (const writer of writers) closeSync(writer);
  }
  await expect.poll(() => look().catch(() => "hangs")).toBeUndefined();
});
