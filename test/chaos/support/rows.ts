import { silentLog } from "../../../src/base/log/log.ts";
import type { Sql } from "../../../src/platform/database/database.ts";
import { attachEmbeddedPostgres } from "../../../src/platform/database/embedded-postgres.ts";
import { openPool } from "../../../src/platform/database/pool.ts";

/** Location of the rows of the program under test: in the server of its data folder, or behind an address. */
export type Rows = { readonly dataDir: string } | { readonly url: string };

/** Reads the rows beside the program, over a separate connection. Fails while the database is away. */
export async function lookAt<T>(rows: Rows, work: (sql: Sql) => Promise<T>): Promise<T> {
  const address = "url" in rows ? rows : await attachEmbeddedPostgres(rows.dataDir);
  if (!address) throw new Error("the embedded server does not run");
  const db = openPool(address, { max: 1, log: silentLog });
  try {
    return await db.query(work);
  } finally {
    await db.close();
  }
}
