import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { ask, type Running, running } from "../admin/system/running.ts";
import { eventually } from "../support/eventually.ts";
import { type HungFolder, hangFolder } from "../support/hung-folder.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Cameras whose disks or shares hang, in a real daemon. */

let world: Running;
let hung: HungFolder | undefined;
const folder = temporaryFolder("hung-folder");
beforeEach(async () => {
  world = await running();
});
afterEach(async () => {
  hung?.answer();
  hung = undefined;
  await world.close();
});
afterAll(() => folder.remove());

interface Image {
  readonly camera_id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly detail: string | null;
}

test("pictures on a hung disk are deferred with the reason, and those of other cameras are processed", {
  timeout: 60_000,
}, async () => {
  const cameraRoot = join(folder.path, "cameras");
  const env = { CAMERA_ROOT: cameraRoot, DETECT_CONCURRENCY: "2", BATCH_WINDOW_SECONDS: "2", BATCH_IDLE_TIMEOUT_SECONDS: "1" };
  const finding = await world.start({ ...env, ROLES: "api,watch,analyze,alert,deliver,maintain" });
  for (const name of ["1", "2", "3", "4"]) await renameIn(join(cameraRoot, "yard", `${name}.jpg`), await uniqueJpeg());
  await renameIn(join(cameraRoot, "door", "1.jpg"), await uniqueJpeg());
  const images = async (daemon: typeof finding): Promise<readonly Image[]> => (await ask(daemon, "GET /api/images")).body.items;
  await eventually(async () => (await images(finding)).length === 5);
  await finding.stop();

  hung = hangFolder(join(cameraRoot, "yard"));
  const daemon = await world.start(env);
  const of = async (camera: string, status: string) =>
    (await images(daemon)).filter((image) => image.camera_id === camera && image.status === status);
  await renameIn(join(cameraRoot, "door", "2.jpg"), await uniqueJpeg());
  await eventually(async () => (await of("door", "processed")).length === 2, {
    timeoutMs: 20_000,
    what: "the pictures of the other camera",
  });
  await eventually(async () => (await of("yard", "deferred")).length === 4, { timeoutMs: 30_000, what: "pictures that are put off" });
  for (const image of await of("yard", "deferred")) {
    expect(image).toMatchObject({ reason: "unreadable", detail: expect.stringContaining(`${join(cameraRoot, "yard")} does not answer`) });
  }
  const { cameras } = (await ask(daemon, "GET /api/cameras")).body;
  const stateOf = (id: string) => cameras.find((camera: { camera_id: string }) => camera.camera_id === id)?.status;
  expect([stateOf("yard"), stateOf("door")]).toEqual(["error", "online"]);
  // of four threads: one checks the folder, one reads a picture, one checks whether the camera was moved
  expect(hung.waiting).toBeLessThanOrEqual(3);

  hung.answer();
  await eventually(async () => (await of("yard", "processed")).length === 4, { timeoutMs: 40_000 });
});

test("with a hung camera root the daemon starts with the cameras elsewhere and reports what it waits for", {
  timeout: 60_000,
}, async () => {
  const [cameraRoot, elsewhere] = [join(folder.path, "share"), join(folder.path, "elsewhere")];
  const porch = join(elsewhere, "porch");
  await mkdir(porch, { recursive: true });
  const env = { CAMERA_ROOT: cameraRoot, CAMERA_EXTRA_ROOTS: elsewhere, BATCH_WINDOW_SECONDS: "2", BATCH_IDLE_TIMEOUT_SECONDS: "1" };
  const before = await world.start(env);
  await ask(before, "POST /api/cameras", { body: { name: "porch", folder_path: porch } });
  await renameIn(join(cameraRoot, "yard", "1.jpg"), await uniqueJpeg());
  const ofImages = async (daemon: typeof before) => (await ask(daemon, "GET /api/images?status=processed")).body.items.length;
  await eventually(async () => (await ofImages(before)) === 1);
  await before.stop();

  hung = hangFolder(cameraRoot);
  const daemon = await world.start(env);
  await renameIn(join(porch, "1.jpg"), await uniqueJpeg());
  await eventually(async () => (await ofImages(daemon)) === 2);
  const watcher = async () =>
    (await ask(daemon, "GET /api/system/workers")).body.workers.find(({ name }: { name: string }) => name === "file_watcher");
  expect(await watcher()).toEqual({
    name: "file_watcher",
    running: true,
    message: `waits for ${cameraRoot}, which does not answer: its disk or share is away`,
  });
  expect((await ask(daemon, "GET /health")).status).toBe(200);

  hung.answer();
  await renameIn(join(cameraRoot, "yard", "2.jpg"), await uniqueJpeg());
  await eventually(async () => (await ofImages(daemon)) === 3, { timeoutMs: 40_000 });
  await eventually(async () => (await watcher()).message === null);
});
