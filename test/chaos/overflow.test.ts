import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { littlePictures } from "./support/little-pictures.ts";
import { report } from "./support/report.ts";
import { scale } from "./support/scale.ts";

const pictures = scale("CHAOS_OVERFLOW_PICTURES", { short: 300, long: 20_000 });
const folder = temporaryFolder("overflow");
const cameraRoot = join(folder.path, "cameras");
const outside = join(folder.path, "outside");
afterAll(() => folder.remove());

test(`chaos: ${pictures} pictures at once while the program is stopped, after more than the kernel queues for it: each is found`, {
  timeout: 3_600_000,
}, async () => {
  const [database, detector, model] = await Promise.all([
    testDatabase(),
    detectorStandIn({ answer: () => ({ detections: [], inference_time_ms: 1, image_width: 64, image_height: 48 }) }),
    languageModelStandIn(),
  ]);
  mkdirSync(outside, { recursive: true });
  await renameIn(join(cameraRoot, "front", "first.jpg"), await uniqueJpeg());
  const env = { DATA_DIR: folder.path, DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url };
  const daemon = await serveHomesec(env);
  await allDone({ url: database.url }, { cameraRoot });
  const numbered = await littlePictures();
  for (let n = 0; n < pictures; n += 1) writeFileSync(join(outside, `${n}.jpg`), numbered(n));

  process.kill(daemon.pid, "SIGSTOP");
  try {
    // Links with an ignored name come and go, two events each, so that the queue is full before the pictures arrive.
    const kept = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
    writeFileSync(join(outside, "noise"), "");
    for (let n = 0; n < kept; n += 2) {
      linkSync(join(outside, "noise"), join(cameraRoot, "front", ".noise"));
      rmSync(join(cameraRoot, "front", ".noise"));
    }
    for (let n = 0; n < pictures; n += 1) renameSync(join(outside, `${n}.jpg`), join(cameraRoot, "front", `${n}.jpg`));
  } finally {
    process.kill(daemon.pid, "SIGCONT");
  }
  await allDone({ url: database.url }, { cameraRoot });
  const { violations, figures } = await judge({ url: database.url }, { cameraRoot });
  expect(violations).toEqual([]);
  expect(figures["pictures"]).toBe(pictures + 1);
  report("watcher overflow", { uploads: pictures + 1, ...figures });
  daemon.kill("SIGTERM");
  expect((await daemon.exit).code).toBe(0);
  await Promise.all([detector.close(), model.close()]);
  await database.close();
});
