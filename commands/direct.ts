import { type Log, silentLog } from "../src/base/log/log.ts";
import type { Client } from "../src/contract/client.ts";
import { Problem } from "../src/contract/problem.ts";
import type { Database } from "../src/platform/database/database.ts";
import type { OpenDatabase } from "../src/platform/database/open-database.ts";
import type { Io } from "./io.ts";

/** Closes something that was opened. */
export type Close = () => Promise<void>;
type OnClose = (close: Close) => void;

/** Connections for a command, which does one thing at a time. */
const poolSize = 3;

/** Opens the configured database. Shares it with a running daemon; otherwise starts the embedded server for this command. */
export async function openDatabaseOf(io: Io, onClose: OnClose): Promise<Database> {
  return (await open(io, onClose, "share")).db;
}

/** Opens the database for exclusive use and locks the data folder. Throws `Problem("conflict")` if another homesec uses it. */
export async function openOwnDatabaseOf(io: Io, onClose: OnClose): Promise<OpenDatabase> {
  return await open(io, onClose, "serve");
}

async function open(io: Io, onClose: OnClose, ownership: "share" | "serve"): Promise<OpenDatabase> {
  const { config } = await io.configuration();
  const { openDatabase } = await import("../src/platform/database/open-database.ts");
  const { databaseUrl, dataDir } = config;
  const opened = await openDatabase({ databaseUrl, dataDir, poolSize, log: commandLog(io), ownership });
  onClose(() => opened.close());
  return opened;
}

/** A client for `--direct` that runs API operations in this process. Throws `Problem("conflict")` if the schema has another version. */
export async function openDirectClient(io: Io, onClose: OnClose): Promise<Client> {
  const { config } = await io.configuration();
  const db = await io.database();
  const log = commandLog(io);
  const { clock } = io.host;
  await requireSchema(db, io);
  const { adoptStoredRoot } = await import("../src/monitoring/cameras/relative-paths.ts");
  await adoptStoredRoot(db);
  const [{ createDirectClient }, { operations }, { createSettings }, { openStore }, { createOutbound }, { openSealerLater }] =
    await Promise.all([
      import("../src/work/operations/direct-client.ts"),
      import("../src/all-operations.ts"),
      import("../src/platform/config/settings.ts"),
      import("../src/platform/store/open-store.ts"),
      import("../src/platform/outbound/outbound.ts"),
      import("../src/platform/secrets/open-sealer.ts"),
    ]);
  const store = await openStore({ redisUrl: config.redisUrl, log });
  onClose(() => store.close());
  const settings = createSettings({ db, config, log, clock });
  await settings.load();
  const outbound = createOutbound({ allow: config.outboundAllow, ownPort: config.port });
  onClose(() => outbound.close());
  const sealer = await openSealerLater({ db, keyPath: config.secretKeyPath, log });
  return createDirectClient(operations, { db, store, config, settings, clock, log, outbound, sealer, runtime: undefined });
}

/** Migrates an empty database. Throws `Problem("conflict")` for a schema of another version. */
async function requireSchema(db: Database, io: Io): Promise<void> {
  const { migrate, migrationStatus } = await import("../src/platform/database/migrate.ts");
  const { applied, pending, refusal } = await migrationStatus(db);
  if (refusal !== null) throw new Problem("conflict", refusal);
  if (applied.length === 0) await migrate(db, { log: commandLog(io), clock: io.host.clock });
  else if (pending.length > 0) {
    throw new Problem("conflict", "the database has an older schema; migrate it with `homesec db migrate`");
  }
}

/** Prints log messages of the engines only with --debug; errors end the command and are printed anyway. */
export function commandLog(io: Io): Log {
  if (!io.global.debug) return silentLog;
  const line = (level: string) => (fields: object, message: string) => io.output.note(`${level}: ${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error"), child: () => log };
  return log;
}
