import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../base/log/log.ts";
import { Problem } from "../../contract/problem.ts";
import { explainFullDisk } from "../disk/full-disk.ts";
import { applicationName, type Connection, connect } from "./connection.ts";
import { describeTarget, type SocketAddress, urlTarget } from "./connection-target.ts";
import { lockDataFolder } from "./data-folder.ts";
import type { Database } from "./database.ts";
import { superviseEmbeddedPostgres } from "./embedded/supervised-server.ts";
import { attachEmbeddedPostgres } from "./embedded-postgres.ts";
import { DatabaseUnavailable } from "./pg-errors.ts";
import { openPool } from "./pool.ts";

export interface OpenDatabaseOptions {
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  readonly poolSize: number;
  readonly log: Log;
  /**
   * `serve`: locks the data folder for this process, also with `DATABASE_URL`. `share`: uses a server that already runs there, together
   * with its owner; if none runs, one is started until `close`.
   */
  readonly ownership: "serve" | "share";
}

export interface OpenDatabase {
  readonly db: Database;
  readonly kind: "embedded" | "external";
  /** Description of the data's location, without secrets. */
  readonly description: string;
  /** Opens another pool on the same database, whose sessions use the tables of one schema only. The caller closes it. */
  openSchema(schema: string, max: number): Database;
  /**
   * Opens a session outside the pool, for things that last as long as a session; `onClosed` is called when it ends for any reason.
   * Rejects if the server is unreachable for 5 s. Undefined for the embedded server, which only one daemon uses.
   */
  readonly openSession: ((onClosed: () => void) => Promise<Connection>) | undefined;
  /** Ends the connections, stops the server if it is ours, and releases the data folder. */
  close(): Promise<void>;
}

/** For listeners, for commands that share the server, and for administrators. */
const connectionsOfOthers = 40;
const ownerStartMs = 10_000;
const guestTimeoutMs = 10_000;
const sessionTimeoutMs = 5_000;

/**
 * Opens the database: the server of `DATABASE_URL`, which it does not contact yet, or the embedded one in the data folder, which it starts if necessary. Throws `Problem`:
 * `conflict` if another homesec holds the data folder, `invalid` for an unusable `DATABASE_URL`, `unavailable` with the fix if the
 * embedded server cannot run here or its disk is full.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const { databaseUrl, dataDir } = options;
  if (databaseUrl !== undefined) return openExternal(databaseUrl, options);
  if (options.ownership === "serve") return startHere(options);
  const deadline = performance.now() + ownerStartMs;
  for (;;) {
    const address = await attachEmbeddedPostgres(dataDir);
    const guest = address && (await attached(address, options));
    if (guest) return guest;
    try {
      return await startHere(options);
    } catch (error) {
      // The holder of the folder may be starting its server right now
      const held = error instanceof Problem && error.kind === "conflict";
      if (!held || performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

async function openExternal(url: string, options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const target = urlTarget(url);
  const description = describeTarget(target);
  const lock = options.ownership === "serve" ? await lockDataFolder(options.dataDir) : undefined;
  const db = openPool({ url }, { max: options.poolSize, log: options.log });
  return {
    db,
    kind: "external",
    description,
    openSchema: (schema, max) => openPool({ url }, { max, schema, log: options.log }),
    openSession: (onClosed) => connect(target, { log: options.log, timeoutMs: sessionTimeoutMs, onClosed }),
    close: async () => {
      await db.close();
      await lock?.release();
    },
  };
}

/**
 * Connects to a running server; undefined if it was just being stopped. The connection keeps a server alive that another command has
 * started.
 */
async function attached(address: SocketAddress, options: OpenDatabaseOptions): Promise<OpenDatabase | undefined> {
  const db = openPool(address, { max: options.poolSize, log: options.log });
  try {
    await db.query((sql) => sql`select 1`);
  } catch (error) {
    await db.close();
    if (error instanceof DatabaseUnavailable) return undefined;
    throw error;
  }
  return {
    db,
    kind: "embedded",
    description: describe(options),
    openSchema: (schema, max) => openPool(address, { max, schema, log: options.log }),
    openSession: undefined,
    close: () => db.close(),
  };
}

async function startHere(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const lock = await lockDataFolder(options.dataDir).catch(async (error: unknown) => {
    throw await explainFullDisk(error, options.dataDir);
  });
  try {
    const server = await superviseEmbeddedPostgres({
      dataDir: options.dataDir,
      log: options.log,
      connections: options.poolSize + connectionsOfOthers,
    });
    const db = openPool(server, { max: options.poolSize, log: options.log });
    return {
      db,
      kind: "embedded",
      description: describe(options),
      openSchema: (schema, max) => openPool(server, { max, schema, log: options.log }),
      openSession: undefined,
      close: async () => {
        const isShared = options.ownership === "share";
        if (isShared) await waitForGuests(db, options.log);
        await db.close();
        // Another command may have connected since they were counted
        await server.stop(isShared ? guestTimeoutMs : 0);
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw await explainFullDisk(error, options.dataDir);
  }
}

/** A command that started the server waits for other commands that connected meanwhile. */
async function waitForGuests(db: Database, log: Log): Promise<void> {
  const deadline = performance.now() + guestTimeoutMs;
  try {
    while (performance.now() < deadline && (await countGuests(db)) > 0) await sleep(50);
  } catch (error) {
    log.debug({ err: error }, "Could not check whether other commands still use the database");
  }
}

async function countGuests(db: Database): Promise<number> {
  const [row] = await db.query(
    (sql) => sql<[{ sessions: number }]>`
      select count(*) as sessions
      from pg_stat_activity a
      where a.backend_type = 'client backend'
        and a.application_name <> ${applicationName}`,
  );
  return row.sessions;
}

function describe({ dataDir }: OpenDatabaseOptions): string {
  return `embedded PostgreSQL in ${dataDir}`;
}
