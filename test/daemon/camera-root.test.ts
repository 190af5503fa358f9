import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

const data = temporaryFolder("camera-root-data");
const elsewhere = temporaryFolder("camera-root");
afterAll(async () => {
  await data.remove();
  await elsewhere.remove();
});

test.each(["CAMERA_ROOT", "DATA_DIR"])("an impossible folder in %s ends the start instead of being retried forever", async (name) => {
  const homesec = startHomesec(["serve"], { DATA_DIR: data.path, PORT: "0", [name]: "/proc/homesec/deep" });
  expect((await homesec.exit).code).toBe(1);
  expect(homesec.output()).toContain("/proc/homesec/deep");
  expect(homesec.output()).toMatch(new RegExp(`(or choose another|choose another) with ${name}`));
  expect(homesec.output()).not.toContain("should not have happened");
});

test("a camera root that cannot be created ends the start with a suggestion and leaves nothing running", async () => {
  const cameraRoot = join(elsewhere.path, "cameras");
  await writeFile(cameraRoot, "");
  const homesec = startHomesec(["serve"], { DATA_DIR: data.path, CAMERA_ROOT: cameraRoot, PORT: "0" });
  expect((await homesec.exit).code).toBe(1);
  expect(homesec.output()).toContain(`The camera folder ${cameraRoot} cannot be created (a file is in its place). Create it`);
  expect(homesec.output()).not.toContain("should not have happened");
  const again = startHomesec(["serve"], { DATA_DIR: data.path, PORT: "0" });
  await again.printed(/API\s+http/);
  again.kill("SIGTERM");
  expect((await again.exit).code).toBe(0);
});
