import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { fillWithEvents } from "./many-events.ts";
import { instantUpstreams } from "./upstreams.ts";

/** `homesec serve` as a child process, with an external database and external upstreams. */
export interface BenchDaemon {
  readonly url: string;
  readonly pid: number;
  readonly cameraRoot: string;
  /** A folder on the same file system that is not watched. */
  readonly staging: string;
  stop(): Promise<void>;
}

export interface BenchDaemonOptions {
  readonly databaseUrl: string;
  readonly upstreamUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the camera root before the daemon starts. */
  readonly prepare?: (cameraRoot: string) => Promise<void>;
}

/** Starts one. Rate limits are off: the load comes from a single address. Stop it at the end. */
export async function benchDaemon({ databaseUrl, upstreamUrl, env, prepare }: BenchDaemonOptions): Promise<BenchDaemon> {
  const folder = temporaryFolder("bench");
  const cameraRoot = join(folder.path, "cameras");
  const staging = join(folder.path, "staging");
  await mkdir(cameraRoot);
  await mkdir(staging);
  await prepare?.(cameraRoot);
  const upstreams = ["DETECTOR", "LANGUAGE_MODEL", "VISION", "EMBEDDER", "ENRICHMENT"].map((name) => [`${name}_URL`, upstreamUrl]);
  const homesec: HomesecProcess & { readonly url: string } = await serveHomesec({
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder.path, "data"),
    CAMERA_ROOT: cameraRoot,
    RATE_LIMIT_ENABLED: "false",
    WEBSOCKET_IDLE_TIMEOUT_SECONDS: "3600",
    ...Object.fromEntries(upstreams),
    ...env,
  });
  return {
    url: homesec.url,
    pid: homesec.pid,
    cameraRoot,
    staging,
    stop: async () => {
      homesec.kill("SIGTERM");
      await homesec.exit;
      await folder.remove();
    },
  };
}

/** A daemon over a database with many events, and with instant upstreams. */
export interface FilledHome {
  readonly database: TestDatabase;
  readonly daemon: BenchDaemon;
  stop(): Promise<void>;
}

/** Starts one. `prepare` changes the stored events before the daemon starts. Stop it at the end. */
export async function filledHome(events: number, prepare?: (db: Database) => Promise<void>): Promise<FilledHome> {
  const database = await testDatabase();
  await fillWithEvents(database.db, events);
  await prepare?.(database.db);
  const upstreams = await instantUpstreams();
  const daemon = await benchDaemon({ databaseUrl: database.url, upstreamUrl: upstreams.url });
  return {
    database,
    daemon,
    stop: async () => {
      await daemon.stop();
      await upstreams.stop();
      await database.close();
    },
  };
}
