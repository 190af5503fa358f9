import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type { Database } from "../../src/engines/database.ts";
import { openPool } from "../../src/engines/pool.ts";
import { silentLog } from "../../src/log/log.ts";
import { templateName } from "./global-setup.ts";

export interface TestDatabase {
  readonly db: Database;
  /** Usable as DATABASE_URL by a child process. */
  readonly url: string;
  close(): Promise<void>;
}

/** A fresh database of its own; `migrated: false` makes it an empty one. Close it in `afterAll` or `afterEach`. */
export async function testDatabase(options: { readonly migrated?: boolean; readonly max?: number } = {}): Promise<TestDatabase> {
  const serverUrl = inject("testServerUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const template = options.migrated === false ? "template0" : templateName;
  await administer(serverUrl, `create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const db = openPool({ url: url.href }, { max: options.max ?? 5, log: silentLog });
  return {
    db,
    url: url.href,
    close: async () => {
      await db.close();
      await administer(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const admin = openPool({ url: serverUrl }, { max: 1, log: silentLog });
  try {
    await admin.query((sql) => sql.unsafe(statement));
  } finally {
    await admin.close();
  }
}
