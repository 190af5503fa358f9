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
  if (readdirSync("/").includes("proc"))
    expect(await createPictureDisk({ dataDir: folder.path, cameraRoot: "/proc" })()).toMatchObject({ totalBytes: 0 });
  await expect(createPictureDisk({ dataDir: join(folder.path, "none"), cameraRoot })()).rejects.toThrow("ENOENT");
});

it("asks a disk that has not answered no second time", async () => {
  const look = createPictureDisk({ dataDir: folder.path, cameraRoot: folder.path });
  const first = look();
  expect(look()).toBe(first);
  await first;
  expect(look()).not.toBe(first);
});
