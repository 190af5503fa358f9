import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { report } from "./support/report.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { uploadRange } from "./support/uploads.ts";

const pictures = scale("CHAOS_PICTURES", { short: 400, long: 20_000 });
const chance = chanceOf("uploads");
const folder = temporaryFolder("uploads");
const cameraRoot = join(folder.path, "cameras");
let database: TestDatabase;
let detector: StandIn;
let model: StandIn;

beforeAll(async () => {
  [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
});
afterAll(async () => {
  await Promise.all([detector.close(), model.close(), database.close(), folder.remove()]);
});

test.skipIf(!isLong)(
  `chaos: ${pictures} pictures uploaded in every way at any time: as many outcomes, none lost, none doubled`,
  {
    timeout: 3_600_000,
  },
  async () => {
    const env = {
      DATA_DIR: folder.path,
      DATABASE_URL: database.url,
      DETECTOR_URL: detector.url,
      LANGUAGE_MODEL_URL: model.url,
      BATCH_WINDOW_SECONDS: "6",
      BATCH_IDLE_TIMEOUT_SECONDS: "1",
      DETECT_CONCURRENCY: "4",
    };
    await mkdir(cameraRoot, { recursive: true });
    const quarter = Math.floor(pictures / 4);
    await uploadRange(cameraRoot, 0, quarter, chance); // before the first start
    const duringStart = uploadRange(cameraRoot, quarter, 2 * quarter, chance);
    const first = await serveHomesec(env);
    await duringStart;
    await uploadRange(cameraRoot, 2 * quarter, 3 * quarter, chance); // while it runs
    first.kill("SIGTERM");
    const stopping = uploadRange(cameraRoot, 3 * quarter, pictures, chance); // while it stops and while it is stopped
    expect((await first.exit).code).toBe(0);
    await stopping;
    const second = await serveHomesec(env);

    await allDone({ url: database.url }, { cameraRoot });
    const { violations, figures } = await judge({ url: database.url }, { cameraRoot });
    expect(violations).toEqual([]);
    report("uploads in every way", { uploads: pictures, ...figures });
    second.kill("SIGTERM");
    expect((await second.exit).code).toBe(0);
  },
);
