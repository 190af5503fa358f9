import { type Log, silentLog } from "../src/base/log/log.ts";
import type { Client } from "../src/contract/client.ts";
import { Problem } from "../src/contract/problem.ts";
import type { Database } from "../src/platform/database/database.ts";
import type { OpenDatabase } from "../src/platform/database/open-database.ts";
import type { Io } from "./io.ts";

/** Lets go of something that was opened. */
export type Close = () => Promise<void>;
type OnClose = (close: Close) => void;

/** Enough for a command: it does one thing at a time. */
const poolSize = 3;

/** The database of the configuration, beside a daemon that runs; where none runs, its server is started for this command. */
export async function openDatabaseOf(io: Io, onClose: OnClose): Promise<Database> {
  return (await open(io, onClose, "share")).db;
}

/** The database for this command alone: the data folder is taken for it. Throws `Problem("conflict")` when another homesec has the folder. */
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

/** A client that runs the operations of the API in this process, for `--direct`. Throws `Problem("conflict")` when the schema is not this program's. */
export async function openDirectClient(io: Io, onClose: OnClose): Promise<Client> {
  const { config } = await io.configuration();
  const db = await io.database();
  const log = commandLog(io);
  const { clock } = io.host;
  await requireSchema(db, io);
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
  const outbound = createOutbound({ allow: config.outboundAllow });
  onClose(() => outbound.close());
  const sealer = await openSealerLater({ db, keyPath: config.secretKeyPath, log });
  return createDirectClient(operations, { db, store, config, settings, clock, log, outbound, sealer, runtime: undefined });
}

/** An empty database is made ready; one of another version is left alone. */
async function requireSchema(db: Database, io: Io): Promise<void> {
  const { migrate, migrationStatus } = await import("../src/platform/database/migrate.ts");
  const { applied, pending, refusal } = await migrationStatus(db);
  if (refusal !== null) throw new Problem("conflict", refusal);
  if (applied.length === 0) await migrate(db, { log: commandLog(io), clock: io.host.clock });
  else if (pending.length > 0) {
    throw new Problem("conflict", "the database was made by an older homesec; bring it up to date with `homesec db migrate`");
  }
}

/** What the engines have to say goes to the person only with --debug: failures end the command and are told by it. */
export function commandLog(io: Io): Log {
  if (!io.global.debug) return silentLog;
  const line = (level: string) => (fields: object, message: string) => io.output.note(`${level}: ${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error"), child: () => log };
  return log;
}
