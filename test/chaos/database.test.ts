import { join } from "node:path";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { attachEmbeddedPostgres } from "../../src/engines/embedded-postgres.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

const kills = Number(process.env["CHAOS_BACKEND_KILLS"] ?? 30);
const restarts = 3;
const folder = temporaryFolder("database");
afterAll(() => folder.remove());

test(`${kills} killed connections and ${restarts} killed servers: the daemon stays, nothing is lost, it works 2 s after the database is back`, async () => {
  const detector = await detectorStandIn({ delayMs: 5 });
  const model = await languageModelStandIn();
  const daemon = await serveHomesec({
    DATA_DIR: folder.path,
    DETECTOR_URL: detector.url,
    LANGUAGE_MODEL_URL: model.url,
    BATCH_WINDOW_SECONDS: "3",
    BATCH_IDLE_TIMEOUT_SECONDS: "1",
  });
  let uploading = true;
  let uploaded = 0;
  const uploads = (async () => {
    while (uploading) {
      await renameIn(join(folder.path, "cameras", `camera-${uploaded % 3}`, `${uploaded}.jpg`), await uniqueJpeg(uploaded));
      uploaded += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();

  const answers = async (): Promise<boolean> => (await fetch(`${daemon.url}/api/events?limit=1`)).status === 200;
  for (let round = 0; round < kills; round += 1) {
    await withServer(async (sql) => {
      await sql`
        select pg_terminate_backend(a.pid)
        from pg_stat_activity a
        where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
        order by random()
        limit 1 + ${round % 3}`;
    });
    await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 100));
  }
  await eventually(answers, { timeoutMs: 2_000, what: "an answer after the kills" });

  for (let round = 0; round < restarts; round += 1) {
    const pid = await withServer(async (sql) => {
      const [row] = await sql<[{ pid: number }]>`select (regexp_match(pg_read_file('postmaster.pid'), '^[0-9]+'))[1]::int as pid`;
      return row.pid;
    });
    process.kill(pid, round === 0 ? "SIGINT" : "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 200));
    await eventually(() => withServer((sql) => sql`select 1`), { timeoutMs: 20_000, what: "the database" });
    await eventually(answers, { timeoutMs: 2_000, what: "an answer within 2 s after the database was back" });
  }
  uploading = false;
  await uploads;

  await eventually(
    () =>
      withServer(async (sql) => {
        const [row] = await sql<[{ done: number; open: number }]>`
          select (select count(*) from images i where i.status = 'processed')::int as done,
            ((select count(*) from jobs j) + (select count(*) from batches b where b.status = 'open'))::int as open`;
        return row.done === uploaded && row.open === 0;
      }),
    { timeoutMs: 90_000, what: "the last picture" },
  );
  const counts = await withServer(async (sql) => {
    const [row] = await sql`
      select (select count(*) from images i)::int as images, (select count(*) from detections d)::int as detections,
        (select count(distinct d.image_id) from detections d)::int as images_with_detections,
        (select count(*) from events e where e.risk_score is null)::int as unjudged`;
    return row;
  });
  expect(counts).toEqual({ images: uploaded, detections: uploaded, images_with_detections: uploaded, unjudged: 0 });
  expect(daemon.output()).not.toMatch(/uncaught|unhandled/i);
  daemon.kill("SIGTERM");
  expect((await daemon.exit).code).toBe(0);
  await Promise.all([detector.close(), model.close()]);
}, 240_000);

async function withServer<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const address = await attachEmbeddedPostgres(folder.path);
  if (!address) throw new Error("the embedded server does not run");
  const sql = postgres({
    host: address.socketDir,
    port: address.port,
    database: address.database,
    username: address.user,
    max: 1,
    connect_timeout: 2,
  });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
