import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { backUp } from "../../src/admin/backup/backup.ts";
import { systemClock } from "../../src/base/clock/clock.ts";
import { programVersion } from "../../src/base/version.ts";
import { testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, embedderStandIn, enrichmentStandIn, languageModelStandIn, visionStandIn } from "../support/upstream.ts";
import { spendEvening } from "./evening.ts";
import { recordedRoot, recordedTarget, releaseFiles } from "./fixture.ts";
import { moveCameras } from "./places.ts";
import { replacedIn, whatIsSeen } from "./seen.ts";

test("release record: stores the data and the replies of a small evening for later versions", async () => {
  const files = releaseFiles(programVersion());
  const keys = temporaryFolder("key");
  let content = "";
  const target = await receiver();
  const model = await languageModelStandIn({ answer: () => ({ content, model: "stand-in" }) });
  const others = await Promise.all([detectorStandIn(), visionStandIn(), embedderStandIn(), enrichmentStandIn()]);
  const [detector, vision, embedder, enrichment] = others;
  const database = await testDatabase();
  const daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, VISION_URL: vision.url },
      ...{ EMBEDDER_URL: embedder.url, ENRICHMENT_URL: enrichment.url, REID_ENABLED: "true", VISION_EXTRACTION_ENABLED: "true" },
      ...{ DEFAULT_WEBHOOK_URL: target.url, BATCH_IDLE_TIMEOUT_SECONDS: "1", SECRET_KEY_PATH: join(keys.path, "secret.key") },
    },
  });
  const answerWith = (text: string): void => {
    content = text;
  };
  await spendEvening({ daemon, database, model, answerWith, target: target.url });
  const day = new Date().toISOString().slice(0, 10);
  const seen = await whatIsSeen(daemon.url, day);
  await daemon.stop();

  const { db } = database;
  await moveCameras(db, daemon.cameraRoot, recordedRoot);
  await db.query((sql) => sql`update webhooks set url = ${recordedTarget}`);
  await rm(dirname(files.backup), { recursive: true, force: true });
  await mkdir(dirname(files.backup), { recursive: true });
  const report = await backUp({
    db,
    path: files.backup,
    replace: false,
    host: "home",
    cameraRoot: "/srv/cameras",
    version: programVersion(),
    clock: systemClock,
  });
  expect(report.rows).toBeGreaterThan(100);
  // Nothing names this machine
  expect(gunzipSync(await readFile(files.backup)).includes(tmpdir())).toBe(false);
  const key = (await readFile(join(keys.path, "secret.key"))).toString("hex");
  // The addresses in the configuration apply to the next start.
  const services = Object.fromEntries([vision, embedder, enrichment].map(({ url }) => [url, "http://127.0.0.1:9"]));
  const kept = replacedIn(seen, { ...services, [daemon.cameraRoot]: recordedRoot, [target.url]: recordedTarget });
  await writeFile(files.evening, `${JSON.stringify({ at: report.created_at, day, schema: report.schema, key, seen: kept }, null, 1)}\n`);

  await Promise.all([model, ...others, target, database].map((each) => each.close()));
  await keys.remove();
});
