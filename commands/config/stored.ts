import type { Config } from "../../src/platform/config/config.ts";
import { commandLog } from "../direct.ts";
import type { Io } from "../io.ts";

/**
 * Reads the settings changed at run time, if the database runs; --direct starts it. Notes why if they cannot be read, and
 * returns none.
 */
export async function readStoredValues(io: Io, config: Config): Promise<ReadonlyMap<string, unknown>> {
  try {
    const { attachEmbeddedPostgres } = await import("../../src/platform/database/embedded-postgres.ts");
    const isRunning = config.databaseUrl !== undefined || io.global.direct || (await attachEmbeddedPostgres(config.dataDir)) !== undefined;
    if (isRunning) {
      const { storedValues } = await import("../../src/platform/config/settings.ts");
      return await storedValues(await io.database(), commandLog(io));
    }
    io.output.note("settings changed at run time are missing: the database does not run (--direct starts it)");
  } catch (error) {
    io.output.note(`settings changed at run time are missing: ${error instanceof Error ? error.message : String(error)}`);
  }
  return new Map();
}
