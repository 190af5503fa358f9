import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg, writeSlowly } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

const pictures = Number(process.env["CHAOS_PICTURES"] ?? 1_000);
const cameras = ["front", "back", "garage", "yard", "drive", "gate"];
const folder = temporaryFolder("uploads");
let database: TestDatabase;
let detector: StandIn;
let model: StandIn;

beforeAll(async () => {
  [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
});
afterAll(async () => {
  await Promise.all([detector.close(), model.close(), database.close(), folder.remove()]);
});

/** One picture, uploaded in one of the ways cameras do. */
async function upload(number: number): Promise<void> {
  const camera = join(folder.path, "cameras", cameras[number % cameras.length] as string);
  const bytes = await uniqueJpeg(number);
  const name = `${String(number).padStart(6, "0")}.jpg`;
  switch (Math.floor(number / cameras.length) % 3) {
    case 0:
      return await renameIn(join(camera, name), bytes);
    case 1:
      return await writeSlowly(join(camera, name), bytes, 4, 5);
    default:
      return await renameIn(join(camera, `2026-0${1 + (number % 9)}`, String(number % 28), name), bytes);
  }
}

async function uploadRange(from: number, to: number): Promise<void> {
  let next = from;
  const hand = async (): Promise<void> => {
    while (next < to) await upload(next++);
  };
  await Promise.all([hand(), hand(), hand(), hand()]);
}

test(`${pictures} pictures uploaded in every way, at every time: as many outcomes, none lost, none doubled`, async () => {
  const env = {
    DATA_DIR: folder.path,
    DATABASE_URL: database.url,
    DETECTOR_URL: detector.url,
    LANGUAGE_MODEL_URL: model.url,
    BATCH_WINDOW_SECONDS: "6",
    BATCH_IDLE_TIMEOUT_SECONDS: "1",
    DETECT_CONCURRENCY: "4",
  };
  await mkdir(join(folder.path, "cameras"), { recursive: true });
  const quarter = Math.floor(pictures / 4);
  await uploadRange(0, quarter); // before the first start
  const duringStart = uploadRange(quarter, 2 * quarter);
  const first = await serveHomesec(env);
  await duringStart;
  await uploadRange(2 * quarter, 3 * quarter); // while it runs
  first.kill("SIGTERM");
  const stopping = uploadRange(3 * quarter, pictures); // while it stops and while it is stopped
  expect((await first.exit).code).toBe(0);
  await stopping;
  const second = await serveHomesec(env);

  const outcomes = () =>
    database.db.query((sql) => sql<{ status: string; n: number }[]>`select i.status, count(*)::int as n from images i group by i.status`);
  await eventually(async () => (await outcomes()).every(({ status }) => status !== "pending" && status !== "deferred"), {
    timeoutMs: 120_000,
  });
  await eventually(
    async () =>
      (await outcomes()).reduce((sum, { n }) => sum + n, 0) >= pictures && (await outcomes()).every(({ status }) => status === "processed"),
    { timeoutMs: 120_000 },
  );
  const unjudged = () =>
    database.db.query(
      (sql) => sql<{ n: number }[]>`
        select (select count(*) from batches b where b.status = 'open')::int + (select count(*) from events e where e.risk_score is null)::int as n`,
    );
  await eventually(async () => (await unjudged())[0]?.n === 0, { timeoutMs: 60_000 });

  expect(await outcomes()).toEqual([{ status: "processed", n: pictures }]);
  const [rows] = await database.db.query(
    (sql) => sql<Record<string, number>[]>`
      select
        (select count(distinct i.path) from images i)::int as paths,
        (select count(*) from detections d)::int as detections,
        (select count(distinct d.image_id) from detections d)::int as images_with_detections,
        (select count(*) from detections d where d.event_id is null)::int as without_event,
        (select coalesce(sum(e.detection_count), 0) from events e)::int as counted_in_events,
        (select count(*) from jobs j)::int as jobs_left
    `,
  );
  expect(rows).toEqual({
    paths: pictures,
    detections: pictures,
    images_with_detections: pictures,
    without_event: 0,
    counted_in_events: pictures,
    jobs_left: 0,
  });
  second.kill("SIGTERM");
  expect((await second.exit).code).toBe(0);
}, 300_000);
