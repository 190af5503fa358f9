import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type InstantUpstreams, instantUpstreams } from "../../bench/upstreams.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** Milliseconds until a server answered `/health`; infinite if it did not. */
interface Latency {
  readonly asked: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** p95 and p99 without the time that the daemon's main thread waited for a processor, because other programs ran. */
  readonly ownP95: number;
  readonly ownP99: number;
}

/** Measurements during an attack. */
export interface Measured {
  readonly daemon: Latency;
  /** An idle program with nothing but an HTTP server: its delays are the machine's. */
  readonly bare: Latency;
  /** Resident memory of the daemon in MB at its highest. */
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
  /** Uploads a picture several times a second until it is stopped; resolves to when each was uploaded, in milliseconds since 1970. */
  upload(): () => Promise<ReadonlyMap<string, number>>;
  /** When each picture was processed. */
  processed(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

const pictureEveryMs = 400;
const longEvents = 700;
const bareServer = `
  const server = require("node:http").createServer((request, response) => response.end("{}"));
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

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
  const bare: ChildProcess = spawn(process.execPath, ["-e", bareServer], { stdio: ["ignore", "pipe", "inherit"] });
  const [barePort] = (await once(bare.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  // The first picture registers the camera.
  await renameIn(join(cameraFolder, "first.jpg"), await uniqueJpeg());
  await eventually(async () => (await database.db.query((sql) => sql`select from cameras`)).length === 1);
  await storeLongEvents(database);
  const urls = [daemon.url, `http://127.0.0.1:${String(barePort).trim()}`];
  const prober = new Worker(new URL("./prober.mjs", import.meta.url), { workerData: { urls, pid: daemon.pid } });
  let pictures = 0;
  return {
    url: daemon.url,
    port: Number(new URL(daemon.url).port),
    ...{ cameraFolder, database, daemon },
    measured: async () => {
      prober.postMessage("report");
      return ((await once(prober, "message")) as [Measured])[0];
    },
    upload: () => {
      const uploaded = new Map<string, number>();
      let isStopped = false;
      const uploading = (async () => {
        while (!isStopped) {
          pictures += 1;
          const path = join(cameraFolder, `picture-${pictures}.jpg`);
          await renameIn(path, await uniqueJpeg(pictures));
          uploaded.set(path, Date.now());
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
        (sql) =>
          sql<
            { path: string; at: Date }[]
          >`select r.path || '/' || i.path as path, i.finished_at as at from images i cross join camera_root r where i.status = 'processed'`,
      );
      return new Map(rows.map(({ path, at }) => [path, at.getTime()]));
    },
    close: async () => {
      await prober.terminate();
      bare.kill();
      daemon.kill("SIGTERM");
      await daemon.exit;
      await Promise.all([upstreams.stop(), database.close()]);
      await folder.remove();
    },
  };
}

async function storeLongEvents(database: TestDatabase): Promise<void> {
  await database.db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, summary, reasoning, analysis_status)
      select c.camera_id, now() - n * interval '1 minute', now() - n * interval '1 minute', 'A cat walks by.', repeat('because ', 5000), 'completed'
      from cameras c, generate_series(1, ${longEvents}::int) as n
    `,
  );
}
