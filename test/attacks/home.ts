import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type InstantUpstreams, instantUpstreams } from "../bench/upstreams.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** What the prober measured: milliseconds until `/health` answered, and the daemon's memory in megabytes. */
export interface Measured {
  readonly asked: number;
  /** Requests without an answer yet. */
  readonly waiting: number;
  readonly p50: number;
  readonly p99: number;
  readonly mostMb: number;
}

/** The real program with its default limits, a database with long events, and a camera that uploads. */
export interface Home {
  readonly url: string;
  readonly port: number;
  readonly cameraFolder: string;
  readonly database: TestDatabase;
  readonly daemon: HomesecProcess;
  /** Ends the current measurement and starts the next one. */
  measured(): Promise<Measured>;
  /** Uploads a picture several times a second until it is stopped; resolves to the number of pictures. */
  upload(): () => Promise<number>;
  /** Number of pictures that were processed, and the longest time in seconds from the upload until then. */
  processed(): Promise<{ readonly pictures: number; readonly longestSeconds: number }>;
  close(): Promise<void>;
}

const pictureEveryMs = 400;
const longEvents = 700;

/** Starts it. Addresses in `X-Forwarded-For` count, so that attacks can come from several machines. */
export async function openHome(): Promise<Home> {
  const folder = temporaryFolder("attacks");
  const cameraFolder = join(folder.path, "cameras", "front");
  await mkdir(cameraFolder, { recursive: true });
  const [database, upstreams]: [TestDatabase, InstantUpstreams] = await Promise.all([testDatabase(), instantUpstreams()]);
  const daemon = await serveHomesec({
    ...{ DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), CAMERA_ROOT: join(folder.path, "cameras") },
    ...{ DETECTOR_URL: upstreams.url, LANGUAGE_MODEL_URL: upstreams.url },
    ...{ RATE_LIMIT_ENABLED: "true", TRUSTED_PROXY_IPS: "127.0.0.1" },
  });
  // The first picture registers the camera.
  await renameIn(join(cameraFolder, "first.jpg"), await uniqueJpeg());
  await eventually(async () => (await database.db.query((sql) => sql`select from cameras`)).length === 1, { timeoutMs: 20_000 });
  await database.db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, summary, reasoning, analysis_status)
      select c.camera_id, now() - n * interval '1 minute', now() - n * interval '1 minute', 'A cat walks by.', repeat('because ', 5000), 'completed'
      from cameras c, generate_series(1, ${longEvents}::int) as n
    `,
  );
  const prober = new Worker(new URL("./prober.mjs", import.meta.url), { workerData: { url: daemon.url, pid: daemon.pid } });
  let uploaded = 1;
  return {
    url: daemon.url,
    port: Number(new URL(daemon.url).port),
    ...{ cameraFolder, database, daemon },
    measured: async () => {
      prober.postMessage("report");
      return ((await once(prober, "message")) as [Measured])[0];
    },
    upload: () => {
      let isStopped = false;
      const uploading = (async () => {
        while (!isStopped) {
          uploaded += 1;
          await renameIn(join(cameraFolder, `picture-${uploaded}.jpg`), await uniqueJpeg(uploaded));
          await sleep(pictureEveryMs);
        }
      })();
      return async () => {
        isStopped = true;
        await uploading;
        return uploaded;
      };
    },
    processed: async () => {
      const rows = await database.db.query(
        (sql) => sql<{ pictures: number; seconds: number | null }[]>`
          select count(*)::int as pictures, max(extract(epoch from i.finished_at - i.found_at))::float as seconds
          from images i
          where i.status = 'processed'
        `,
      );
      return { pictures: rows[0]?.pictures ?? 0, longestSeconds: rows[0]?.seconds ?? 0 };
    },
    close: async () => {
      await prober.terminate();
      daemon.kill("SIGTERM");
      await daemon.exit;
      await Promise.all([upstreams.stop(), database.close()]);
      await folder.remove();
    },
  };
}
