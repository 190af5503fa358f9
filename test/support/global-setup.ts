import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { systemClock } from "../../src/base/clock/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { startEmbeddedPostgres } from "../../src/platform/database/embedded-postgres.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { openPool } from "../../src/platform/database/pool.ts";
import { freePort } from "./free-port.ts";
import { type Template, templateOf } from "./pristine.ts";
import { redisForAll } from "./redis-for-all.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The test server's maintenance database, as a superuser. */
    testServerUrl: string;
    /** Description of a freshly migrated database. */
    testTemplate: Template;
  }
}

export const templateName = "homesec_template";

const carefree = {
  ...{ fsync: "off", synchronous_commit: "off", full_page_writes: "off" },
  // Databases are emptied and reused: the planner must not depend on when a table was last analysed.
  autovacuum: "off",
};

interface Servers {
  tellTo(project: TestProject): void;
  stop(): Promise<void>;
}

/** Vitest sets up each project, with separate modules: shared state lies here. */
const shared = globalThis as { homesecTestServers?: { readonly started: Promise<Servers>; projects: number } };

/** One PostgreSQL for the whole run, with a migrated template that `testDatabase()` copies. Nothing in it outlives the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.homesecTestServers ??= { started: startServers(), projects: 0 };
  const servers = shared.homesecTestServers;
  servers.projects += 1;
  const { tellTo, stop } = await servers.started;
  tellTo(project);
  return async () => {
    servers.projects -= 1;
    if (servers.projects > 0) return;
    delete shared.homesecTestServers;
    await stop();
  };
}

async function startServers(): Promise<Servers> {
  const [stopRedis, { tellTo, stop }] = await Promise.all([redisForAll(), serveDatabases(carefree)]);
  return { tellTo, stop: async () => void (await Promise.all([stopRedis(), stop()])) };
}

/** Starts the server for `testDatabase()` with additional settings. */
export async function serveDatabases(settings: Readonly<Record<string, string>>): Promise<Servers> {
  const dataDir = await mkdtemp(join(tmpdir(), "homesec-test-pg-"));
  const port = await freePort();
  const server = await startEmbeddedPostgres({
    dataDir,
    log: silentLog,
    port,
    settings: { listen_addresses: "127.0.0.1", max_connections: "200", ...settings },
  });
  const password = randomBytes(12).toString("hex");
  const admin = openPool(server, { max: 1, log: silentLog });
  await admin.query(async (sql) => {
    await sql.unsafe(`alter role ${server.user} password '${password}'`);
    await sql.unsafe(`create database ${templateName}`);
  });
  const template = openPool({ ...server, database: templateName }, { max: 1, log: silentLog });
  await migrate(template, { log: silentLog, clock: systemClock });
  const description = await template.query(templateOf);
  await template.close();
  await admin.query((sql) => sql.unsafe(`alter database ${templateName} allow_connections false`));
  await admin.close();

  return {
    tellTo: (project) => {
      project.provide("testTemplate", description);
      project.provide("testServerUrl", `postgres://${server.user}:${password}@127.0.0.1:${port}/${server.database}`);
    },
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
