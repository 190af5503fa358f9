import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createPictureDisk } from "../../src/disk/picture-disk.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder("picture-disk");
afterAll(() => folder.remove());

it("tells of the pictures' disk only when it is another one, and nothing when it is gone", async () => {
  const cameraRoot = join(folder.path, "cameras");
  const look = createPictureDisk({ dataDir: folder.path, cameraRoot });
  expect(await look()).toBeUndefined();
  mkdirSync(cameraRoot);
  expect(await look()).toBeUndefined();
  // /proc is a file system of its own on each Linux
  if (readdirSync("/").includes("proc")) {
    const other = createPictureDisk({ dataDir: folder.path, cameraRoot: "/proc" });
    expect(await Promise.all([other(), other()])).toMatchObject([{ totalBytes: 0 }, { totalBytes: 0 }]);
  }
  expect(await createPictureDisk({ dataDir: join(folder.path, "none"), cameraRoot })()).toBeUndefined();
});
