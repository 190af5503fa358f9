import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Broken, NotPossible } from "../../src/admin/doctor/check.ts";
import type { Machine } from "../../src/admin/doctor/machine.ts";
import { nameFault } from "../../src/admin/doctor/names.ts";
import type { Shares } from "../../src/admin/doctor/shares.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import { Problem } from "../../src/contract/problem.ts";
import { adoptStoredRoot } from "../../src/monitoring/cameras/relative-paths.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { barrierTo, serverAccount } from "../../src/platform/database/account.ts";
import { urlTarget } from "../../src/platform/database/connection-target.ts";
import type { DataFolderHolder } from "../../src/platform/database/data-folder.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { attachEmbeddedPostgres } from "../../src/platform/database/embedded-postgres.ts";
import { type OpenDatabase, openDatabase } from "../../src/platform/database/open-database.ts";

/** Twice the time of a cold start of the embedded server on a small machine. */
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
 * Opens the database as commands with --direct do, with or without a daemon. It throws `NotPossible` when there is no database yet, or when a
 * start would change the owner or the permissions of a folder, and `Broken` when the database cannot be opened at all.
 */
export function databaseOpener({ machine, config, shares, holder, log }: Source) {
  let opening: Promise<OpenDatabase> | undefined;
  const open = async (): Promise<Database> => {
    const { databaseUrl, dataDir } = config();
    try {
      if (databaseUrl !== undefined) await mustResolve(databaseUrl, machine);
      else if ((await shares()).silentForData.length > 0) throw new NotPossible("a network share does not answer");
      else if (!(await runsAlready(dataDir))) await mayBeStarted(dataDir, await holder());
      opening = openDatabase({ databaseUrl, dataDir, poolSize, log, ownership: "share" });
      const overrun = new NotPossible(`the database did not open within ${openMs / 1000} s`);
      const { db } = await within(openMs, () => opening as Promise<OpenDatabase>, overrun);
      // One that does not answer is reported by the checks that read it
      await within(openMs, () => adoptStoredRoot(db), overrun).catch(() => {});
      return db;
    } catch (error) {
      if (error instanceof NotPossible) throw error;
      const isTaken = error instanceof Problem && (error.kind === "conflict" || error.kind === "forbidden");
      throw new (isTaken ? NotPossible : Broken)(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
  const close = async (): Promise<void> => {
    // a server that is still open by then ends with this process, because it watches its owner
    await within(closeMs, async () => await (await opening)?.close()).catch((error: unknown) =>
      log.debug({ error: String(error) }, "database still open after the time limit"),
    );
  };
  return { open, close };
}

/** Resolves the host in a child process first, because a lookup that hangs would keep this process from exiting. */
async function mustResolve(databaseUrl: string, machine: Machine): Promise<void> {
  const fault = await nameFault(machine, urlTarget(databaseUrl).host);
  if (fault !== undefined) throw new Broken(`The host of the database cannot be resolved: ${fault}; correct DATABASE_URL`);
}

async function runsAlready(dataDir: string): Promise<boolean> {
  return (await attachEmbeddedPostgres(dataDir)) !== undefined;
}

async function mayBeStarted(dataDir: string, holder: DataFolderHolder | undefined): Promise<void> {
  const cluster = join(dataDir, "postgres");
  const made = await stat(join(cluster, "PG_VERSION")).catch((error: NodeJS.ErrnoException) => error);
  if (made instanceof Error) {
    if (made.code === "ENOENT" || made.code === "ENOTDIR")
      throw new NotPossible("there is no database yet; the first start of homesec creates it");
    throw new NotPossible(`the database in ${dataDir} belongs to another user; run homesec doctor as that user`, { cause: made });
  }
  if (holder?.lives) throw new NotPossible(`homesec (pid ${holder.pid}) holds the data folder, and its database accepts no connections`);
  const account = await serverAccount();
  const { uid } = await stat(cluster);
  if (uid !== account.uid || (await barrierTo(dataDir, account)) !== undefined) {
    throw new NotPossible(
      `the database does not run, and this user (${account.name}) cannot start it; run homesec doctor as the user that runs homesec`,
    );
  }
}
