import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { openReal } from "../../../src/platform/disk/open-real.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("open-real");
const [inside, outside] = [join(folder.path, "inside"), join(folder.path, "outside")];
const picture = join(inside, "a.jpg");
beforeEach(async () => {
  for (const path of [inside, outside]) {
    await rm(path, { recursive: true, force: true });
    await mkdir(path);
    await writeFile(join(path, "a.jpg"), path);
  }
});
afterAll(() => folder.remove());

async function read(): Promise<string | undefined> {
  const file = await openReal(picture);
  try {
    return await file?.readFile("utf8");
  } finally {
    await file?.close();
  }
}

test("open real path: opens a file in its place", async () => {
  expect(await read()).toBe(inside);
});

test("open real path: does not follow a link that has replaced the file or a folder on the way", async () => {
  await rename(inside, `${inside}-before`);
  await symlink(outside, inside);
  expect(await read()).toBeUndefined();
  await rm(inside);
  await rename(`${inside}-before`, inside);
  await rm(picture);
  await symlink(join(outside, "a.jpg"), picture);
  await expect(read()).rejects.toMatchObject({ code: "ELOOP" });
});

test("open real path: a pipe or a folder in its place is not a file", async () => {
  await rm(picture);
  execFileSync("mkfifo", [picture]);
  expect(await read()).toBeUndefined();
  await rm(picture);
  await mkdir(picture);
  expect(await read()).toBeUndefined();
});
