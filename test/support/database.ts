import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { silentLog } from "../../src/base/log/log.ts";
import type { Database, Sql } from "../../src/platform/database/database.ts";
import { openPool } from "../../src/platform/database/pool.ts";
import { templateName } from "./global-setup.ts";
import { pristine } from "./pristine.ts";

export interface TestDatabase {
  readonly db: Database;
  /** Usable as DATABASE_URL by a child process. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Creates a freshly migrated database; `migrated: false` makes it empty. Close it in `afterAll` or `afterEach`. Creating one takes far
 * longer than most tests, so a closed database is emptied and reused. A `fresh` one was never used before: for tests of speed, since the
 * planner remembers earlier contents.
 */
export async function testDatabase(
  options: { readonly migrated?: boolean; readonly max?: number; readonly fresh?: boolean } = {},
): Promise<TestDatabase> {
  const migrated = options.migrated !== false;
  const name = newName("test");
  if (!(migrated && options.fresh !== true && (await takeParked(name)))) {
    await administer((sql) => sql.unsafe(`create database ${name} template ${migrated ? templateName : "template0"}`));
  }
  const url = new URL(inject("testServerUrl"));
  url.pathname = `/${name}`;
  const db = openPool({ url: url.href }, { max: options.max ?? 5, log: silentLog });
  return {
    db,
    url: url.href,
    close: async () => {
      await db.close();
      if (migrated && (await park(name, url.href))) return;
      await administer((sql) => sql.unsafe(`drop database ${name} with (force)`));
    },
  };
}

const newName = (kind: "test" | "parked"): string => `${kind}_${randomBytes(6).toString("hex")}`;

/** Renames a parked database for use; false if there is none. */
async function takeParked(name: string): Promise<boolean> {
  return await administer(async (sql) => {
    const parked = await sql<{ name: string }[]>`select d.datname as name from pg_database d where d.datname like 'parked\\_%'`;
    for (const { name: other } of parked) {
      const taken = await sql.unsafe(`alter database ${other} rename to ${name}`).then(
        () => true,
        // Another process was faster.
        () => false,
      );
      if (taken) return true;
    }
    return false;
  });
}

/** Empties the database and parks it for the next test; false if its structure has changed. */
async function park(name: string, url: string): Promise<boolean> {
  await administer((sql) => sql`select pg_terminate_backend(a.pid, 5000) from pg_stat_activity a where a.datname = ${name}`);
  const db = openPool({ url }, { max: 1, log: silentLog });
  const isPristine = await db.query((sql) => pristine(sql, inject("testTemplate"))).finally(() => db.close());
  if (!isPristine) return false;
  return await administer((sql) => sql.unsafe(`alter database ${name} rename to ${newName("parked")}`)).then(
    () => true,
    // A child process that is still running has connected again.
    () => false,
  );
}

async function administer<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
  const admin = openPool({ url: inject("testServerUrl") }, { max: 1, log: silentLog });
  try {
    return await admin.query(work);
  } finally {
    await admin.close();
  }
}
