import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Broken, NotPossible } from "../../src/admin/doctor/check.ts";
import type { Machine } from "../../src/admin/doctor/machine.ts";
import { nameFault } from "../../src/admin/doctor/names.ts";
import type { Shares } from "../../src/admin/doctor/shares.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { barrierTo, serverAccount } from "../../src/platform/database/account.ts";
import { urlTarget } from "../../src/platform/database/connection-target.ts";
import type { DataFolderHolder } from "../../src/platform/database/data-folder.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { attachEmbeddedPostgres } from "../../src/platform/database/embedded-postgres.ts";
import { type OpenDatabase, openDatabase } from "../../src/platform/database/open-database.ts";

/** A cold start of the embedded server on a small machine takes half of it. */
const openMs = 4_000;
const closeMs = 1_500;
const poolSize = 4;

interface Source {
  readonly machine: Machine;
  readonly shares: () => Promise<Shares>;
  readonly config: () => Config;
  readonly holder: () => Promise<DataFolderHolder | undefined>;
  readonly log: Log;
}

/**
 * Opens the database as commands with --direct do, beside a daemon or without one, but makes none: where there is no database yet, or
 * starting it would have to change who owns or may enter a folder, it throws `NotPossible`; `Broken` when it cannot be opened at all.
 */
export function databaseOpener({ machine, config, shares, holder, log }: Source) {
  let opening: Promise<OpenDatabase> | undefined;
  const open = async (): Promise<Database> => {
    const { databaseUrl, dataDir } = config();
    try {
      if (databaseUrl !== undefined) await mustBeKnown(databaseUrl, machine);
      else if ((await shares()).silentForData.length > 0) throw new NotPossible("a network share does not answer");
      else if (!(await runsAlready(dataDir))) await mayBeStarted(dataDir, await holder());
      opening = openDatabase({ databaseUrl, dataDir, poolSize, log, ownership: "share" });
      const overrun = new NotPossible(`the database did not open within ${openMs / 1000} s`);
      return (await within(openMs, () => opening as Promise<OpenDatabase>, overrun)).db;
    } catch (error) {
      if (error instanceof NotPossible) throw error;
      const isTaken = error instanceof Problem && (error.kind === "conflict" || error.kind === "forbidden");
      throw new (isTaken ? NotPossible : Broken)(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
  const close = async (): Promise<void> => {
    // what is not closed by then ends with this process: the embedded server watches over its owner
    await within(closeMs, async () => await (await opening)?.close()).catch((error: unknown) =>
      log.debug({ error: String(error) }, "the database was left open"),
    );
  };
  return { open, close };
}

/** A name that is looked up without end would keep the program from ending. */
async function mustBeKnown(databaseUrl: string, machine: Machine): Promise<void> {
  const fault = await nameFault(machine, urlTarget(databaseUrl).host);
  if (fault !== undefined) throw new Broken(`The database is not found: ${fault}; correct DATABASE_URL`);
}

async function runsAlready(dataDir: string): Promise<boolean> {
  return (await attachEmbeddedPostgres(dataDir)) !== undefined;
}

async function mayBeStarted(dataDir: string, holder: DataFolderHolder | undefined): Promise<void> {
  const cluster = join(dataDir, "postgres");
  const made = await stat(join(cluster, "PG_VERSION")).catch((error: NodeJS.ErrnoException) => error);
  if (made instanceof Error) {
    if (made.code === "ENOENT" || made.code === "ENOTDIR")
      throw new NotPossible("there is no database yet; the first start of homesec makes it");
    throw new NotPossible(`the database in ${dataDir} belongs to another user; run homesec doctor as that user`, { cause: made });
  }
  if (holder?.lives) throw new NotPossible(`homesec (pid ${holder.pid}) has the data folder, and its database takes no connections`);
  const account = await serverAccount();
  const { uid } = await stat(cluster);
  if (uid !== account.uid || (await barrierTo(dataDir, account)) !== undefined) {
    throw new NotPossible(
      `the database does not run, and cannot be started as this user (${account.name}); run homesec doctor as the user that runs homesec`,
    );
  }
}
