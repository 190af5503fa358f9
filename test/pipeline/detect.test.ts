import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/clock/clock.ts";
import { parseConfig } from "../../src/config/config.ts";
import { createSettings } from "../../src/config/settings.ts";
import { addJobs, claimNextJobs, LeaseLost } from "../../src/jobs/jobs-repository.ts";
import { type Log, silentLog } from "../../src/log/log.ts";
import { createDetectStage } from "../../src/pipeline/detect.ts";
import { Breaker } from "../../src/upstream/breaker.ts";
import { createDetector, type Detector } from "../../src/upstream/detector.ts";
import { keptLog } from "../http/support.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { picturePath } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, type StandIn } from "../support/upstream.ts";

const clock = systemClock;
let database: TestDatabase;
let standIn: StandIn;
let detector: Detector;

beforeAll(async () => {
  [database, standIn] = await Promise.all([testDatabase(), detectorStandIn()]);
  detector = createDetector({ url: standIn.url, breaker: new Breaker("detector", { clock }), clock, log: silentLog });
});
afterAll(async () => {
  await detector.close();
  await Promise.all([standIn.close(), database.close()]);
});

/** A picture in the ledger, its claimed job and the stage that looks at it. */
async function claimed(path: string, log: Log = silentLog) {
  const { db } = database;
  const processId = randomUUID();
  const now = clock.now();
  const file = await stat(path, { bigint: true });
  const [job] = await db.transaction(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'yard', '/yard') on conflict do nothing`;
    const [image] = await sql<[{ imageId: number }]>`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
      values ('yard', ${path}, ${Number(file.size)}, ${file.mtimeNs.toString()}::bigint, 'watch', ${now}, ${now}, 'pending')
      returning image_id as "imageId"
    `;
    await addJobs(sql, "detect", [{ subject: String(image.imageId), priority: 0, position: now, availableAt: now }]);
    return await claimNextJobs(sql, { queue: "detect", processId, leaseMs: 60_000, now }, 1);
  });
  if (!job) throw new Error("no job was claimed");
  const { config } = parseConfig({ env: {}, isRoot: false, home: "/nowhere", cwd: "/nowhere" });
  const stage = createDetectStage({
    ...{ db, clock, log, detector, processId, enrichmentWaitMs: () => 0, batchMaxDetections: 500 },
    settings: createSettings({ db, config, log: silentLog, clock }),
    detectorAnsweredAt: () => null,
    onStored: () => {},
    onOutcome: () => {},
  });
  return { job, stage };
}

test("who lost the job to another process meanwhile does not say of its picture that it is deferred", async () => {
  const { db } = database;
  const { job, stage } = await claimed(picturePath());
  await db.query((sql) => sql`update jobs set claimed_by = ${randomUUID()}`);
  await standIn.setMode("error");
  await expect(stage.run(job, new AbortController().signal, () => {})).rejects.toThrow(LeaseLost);
  expect([...(await db.query((sql) => sql`select i.status from images i`))]).toEqual([{ status: "pending" }]);
});

test("a picture that the detector refuses leaves a line in the log, with its path and the reason", async () => {
  const log = keptLog();
  const { job, stage } = await claimed(picturePath(1), log);
  await standIn.setMode("refuse");
  await stage.run(job, new AbortController().signal, () => {});
  expect(log.lines).toMatchObject([
    { level: "info", message: "a picture is skipped", fields: { path: picturePath(1), reason: "refused" } },
  ]);
});

test("a pipe that was put in the place of a picture holds up nobody", async () => {
  const folder = temporaryFolder("pipe");
  const path = join(folder.path, "a.jpg");
  execFileSync("mkfifo", [path]);
  const log = keptLog();
  const { job, stage } = await claimed(path, log);
  await stage.run(job, new AbortController().signal, () => {});
  await folder.remove();
  expect(log.lines).toMatchObject([{ fields: { path, reason: "overwritten" } }]);
});
