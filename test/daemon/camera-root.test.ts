import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

const data = temporaryFolder("camera-root-data");
const elsewhere = temporaryFolder("camera-root");
afterEach(async () => {
  await data.remove();
  await elsewhere.remove();
});

test("a camera root that cannot be made ends the start with what to do, and leaves nothing running", async () => {
  const cameraRoot = join(elsewhere.path, "cameras");
  await writeFile(cameraRoot, "");
  const homesec = startHomesec(["serve"], { DATA_DIR: data.path, CAMERA_ROOT: cameraRoot, PORT: "0" });
  expect((await homesec.exit).code).toBe(1);
  expect(homesec.output()).toContain(`The folder of the cameras ${cameraRoot} cannot be made (a file is in its place); make it`);
  expect(homesec.output()).not.toContain("should not have happened");
  const again = startHomesec(["serve"], { DATA_DIR: data.path, PORT: "0" });
  await again.printed(/API\s+http/);
  again.kill("SIGTERM");
  expect((await again.exit).code).toBe(0);
});
