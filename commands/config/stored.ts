import type { Config } from "../../src/platform/config/config.ts";
import { commandLog } from "../direct.ts";
import type { Io } from "../io.ts";

/**
 * The values that were changed at run time, from the database if it runs; with --direct it is started for that. Where
 * they cannot be read, the person is told and there are none.
 */
export async function readStoredValues(io: Io, config: Config): Promise<ReadonlyMap<string, unknown>> {
  try {
    const { attachEmbeddedPostgres } = await import("../../src/platform/database/embedded-postgres.ts");
    const runs = config.databaseUrl !== undefined || io.global.direct || (await attachEmbeddedPostgres(config.dataDir)) !== undefined;
    if (runs) {
      const { storedValues } = await import("../../src/platform/config/settings.ts");
      return await storedValues(await io.database(), commandLog(io));
    }
    io.output.note("values changed at run time are not shown: the database does not run (--direct starts it for that)");
  } catch (error) {
    io.output.note(`values changed at run time are not shown: ${error instanceof Error ? error.message : String(error)}`);
  }
  return new Map();
}
