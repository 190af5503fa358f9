import { join } from "node:path";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { attachEmbeddedPostgres } from "../../src/engines/embedded-postgres.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

const kills = Number(process.env["CHAOS_KILLS"] ?? 8);
const folder = temporaryFolder("kill");
afterAll(() => folder.remove());

test(`${kills} kill -9 under load: every picture once, every batch closed, every event judged, ready again within 5 s`, async () => {
  const detector = await detectorStandIn({ delayMs: 20 });
  const model = await languageModelStandIn({ delayMs: 20 });
  const env = {
    DATA_DIR: folder.path,
    DETECTOR_URL: detector.url,
    LANGUAGE_MODEL_URL: model.url,
    BATCH_WINDOW_SECONDS: "3",
    BATCH_IDLE_TIMEOUT_SECONDS: "1",
  };
  let uploading = true;
  let uploaded = 0;
  const uploads = (async () => {
    while (uploading) {
      await renameIn(join(folder.path, "cameras", `camera-${uploaded % 3}`, `${uploaded}.jpg`), await uniqueJpeg(uploaded));
      uploaded += 1;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();

  const readyAfter: number[] = [];
  let daemon = await serveHomesec(env);
  for (let round = 0; round < kills; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 900));
    daemon.kill("SIGKILL");
    await daemon.exit;
    const startedAt = performance.now();
    daemon = await serveHomesec(env);
    await eventually(async () => (await fetch(`${daemon.url}/api/system/health/ready`)).status === 200, {
      timeoutMs: 10_000,
      what: "readiness",
    });
    readyAfter.push(performance.now() - startedAt);
  }
  uploading = false;
  await uploads;

  const total = async (path: string): Promise<number> => {
    const response = await fetch(`${daemon.url}${path}`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };
  await eventually(async () => (await total("/api/detections?limit=1")) >= uploaded, { timeoutMs: 120_000, what: "the last detection" });
  const address = await attachEmbeddedPostgres(folder.path);
  if (!address) throw new Error("the embedded server does not run");
  const sql = postgres({ host: address.socketDir, port: address.port, database: address.database, username: address.user, max: 1 });
  try {
    const unfinished = () => sql<{ n: number }[]>`
      select (select count(*) from batches b where b.status = 'open')::int
        + (select count(*) from events e where e.risk_score is null)::int
        + (select count(*) from jobs j)::int as n`;
    await eventually(async () => (await unfinished())[0]?.n === 0, { timeoutMs: 60_000, what: "the last verdict" });
    const [rows] = await sql`
      select
        (select count(*) from images i where i.status = 'processed')::int as processed,
        (select count(*) from images i where i.status <> 'processed')::int as otherwise,
        (select count(*) from detections d)::int as detections,
        (select count(distinct d.image_id) from detections d)::int as images_with_detections,
        (select coalesce(sum(e.detection_count), 0) from events e)::int as counted_in_events,
        (select count(*) from events e)::int - (select count(*) from batches b)::int as events_without_batch,
        (select max(j.sequence) from journal j)::int - (select count(*) from journal j where j.sequence is not null)::int as holes
    `;
    expect(rows).toEqual({
      processed: uploaded,
      otherwise: 0,
      detections: uploaded,
      images_with_detections: uploaded,
      counted_in_events: uploaded,
      events_without_batch: 0,
      holes: 0,
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
  expect(Math.max(...readyAfter)).toBeLessThan(5_000);
  daemon.kill("SIGTERM");
  expect((await daemon.exit).code).toBe(0);
  await Promise.all([detector.close(), model.close()]);
}, 300_000);
