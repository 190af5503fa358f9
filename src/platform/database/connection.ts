import type net from "node:net";
import postgres from "postgres";
import type { Log } from "../../base/log/log.ts";
import { arrayTypes, parseArray, serializeArray } from "./column-types.ts";
import type { ConnectionTarget } from "./connection-target.ts";
import type { Sql } from "./database.ts";
import { openServerSocket } from "./server-socket.ts";

/** Distinguishes the sessions of one process from those of another. */
export const applicationName = `homesec ${process.pid}`;

/** A session on the server. It never reconnects: when it closes, everything that waits on it is rejected. */
export interface Connection {
  readonly sql: Sql;
  readonly closed: boolean;
  /** Time of opening, from `performance.now()`. */
  readonly openedAt: number;
  /** Closes the session cleanly, waiting at most half a second for the server. */
  end(): Promise<void>;
  /** Drops the session at once. */
  destroy(): void;
}

export interface ConnectOptions {
  readonly log: Log;
  readonly timeoutMs: number;
  /** The schema whose tables the session uses; the server's default if missing. */
  readonly schema?: string;
  /** Called once when the open session has ended, for any reason. */
  readonly onClosed?: () => void;
  readonly onNotify?: (channel: string, payload: string) => void;
  readonly onStatement?: (text: string) => void;
}

/**
 * Opens a session and waits until the server accepts statements. Rejects with the system's or the server's error and then leaves nothing
 * open.
 */
export async function connect(target: ConnectionTarget, options: ConnectOptions): Promise<Connection> {
  const { log, timeoutMs } = options;
  const deadline = performance.now() + timeoutMs;
  const socket = await openServerSocket(target, timeoutMs);
  let closed = false;
  let established = false;
  const gone = new Promise<void>((resolve) => {
    socket.once("close", () => {
      lose();
      resolve();
    });
  });
  const sql = clientOn(socket, target, options);

  // A reply that arrived before the connection was lost is delivered; everything else is rejected with CONNECTION_DESTROYED.
  const lose = () => {
    if (closed) return;
    closed = true;
    socket.destroy();
    sql.end({ timeout: 0 }).catch((error: unknown) => log.error({ err: error }, "A lost database connection could not be discarded"));
    if (established) options.onClosed?.();
  };

  let late = false;
  const onTimeout = () => {
    late = true;
    socket.destroy();
  };
  const timer = setTimeout(onTimeout, Math.max(1, deadline - performance.now()));
  try {
    if (socket.destroyed) lose();
    await sql`select 1`;
  } catch (error) {
    lose();
    if (!late) throw error;
    throw Object.assign(new Error(`The server did not accept statements within ${timeoutMs} ms`, { cause: error }), {
      code: "CONNECT_TIMEOUT",
    });
  } finally {
    clearTimeout(timer);
  }
  established = true;

  return {
    sql,
    openedAt: performance.now(),
    get closed() {
      return closed;
    },
    async end() {
      if (!closed) await sql.end({ timeout: 0 });
      const impatience = setTimeout(() => socket.destroy(), 500);
      await gone;
      clearTimeout(impatience);
    },
    destroy: lose,
  };
}

/**
 * Uses postgres.js as a driver for one socket. Otherwise it would reconnect in the middle of a transaction, and may write to a closed
 * socket, which ends the process. So it gets the socket once, and does not learn of its closing or its errors; the holder of the
 * connection does, and ends the client.
 */
function clientOn(socket: net.Socket, target: ConnectionTarget, options: ConnectOptions): postgres.Sql {
  let given = false;
  const client = postgres({
    host: target.host,
    port: target.port,
    user: target.user,
    pass: target.password,
    database: target.database,
    ssl: false,
    socket: () => {
      if (given) throw Object.assign(new Error("The database connection is closed"), { code: "CONNECTION_CLOSED" });
      given = true;
      return hidingItsEnd(socket);
    },
    max: 1,
    prepare: true,
    fetch_types: false,
    idle_timeout: null,
    max_lifetime: null,
    connect_timeout: null,
    backoff: 0,
    // A plan cached while a table was nearly empty would slow its statement down with each row
    connection: {
      application_name: applicationName,
      plan_cache_mode: "force_custom_plan",
      // Fixes the format of times, whatever the server, the database or the role sets
      DateStyle: "ISO, MDY",
      TimeZone: "UTC",
      IntervalStyle: "postgres",
      ...(options.schema !== undefined && { search_path: options.schema }),
    },
    types: columnTypes,
    onnotice: (notice: postgres.Notice) => options.log.debug({ notice }, "Notice from the database"),
    ...(options.onNotify && { onnotify: options.onNotify }),
    ...(options.onStatement && { debug: (_id: number, text: string) => options.onStatement?.(text) }),
  } as unknown as postgres.Options<Record<string, postgres.PostgresType>>);
  teachArrays(client);
  return forgettingItsCallers(client as unknown as postgres.Sql);
}

/**
 * The driver caches an error for each call site, for the life of the process, to name the site in later errors. Until its stack is read,
 * such an error keeps the frames alive, and with them the first client of that site and all its statements. So the stack is read at once,
 * which is slow only the first time.
 */
function forgettingItsCallers(client: postgres.Sql): postgres.Sql {
  const tag = (...values: unknown[]) => {
    const made = (client as unknown as (...values: unknown[]) => { readonly tagged?: boolean; readonly origin?: string })(...values);
    if (made.tagged) void made.origin;
    return made;
  };
  return Object.setPrototypeOf(tag, client) as postgres.Sql;
}

function hidingItsEnd(socket: net.Socket): net.Socket {
  const on = socket.on.bind(socket);
  socket.on = ((event: string, listener: (...values: unknown[]) => void) =>
    event === "close" || event === "error" ? socket : on(event, listener)) as typeof socket.on;
  return socket;
}

const columnTypes = {
  // Ids, counts and nanoseconds up to 2^53 are exact as numbers
  bigint: { to: 20, from: [20], serialize: (value: unknown) => String(value), parse: Number },
  timestamptz: { to: 1184, from: [1184], serialize: (time: Date | string) => new Date(time).toISOString(), parse: timeOf },
};

/** Parses a session's time, in UTC. In PostgreSQL's format, with a space, JavaScript would read the year 0001 as 2001. */
function timeOf(text: string): Date {
  const isUsual = text[10] === " " && text.endsWith("+00");
  return new Date(isUsual ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text);
}

interface DriverTypes {
  readonly parsers: Record<number, (text: string) => unknown>;
  readonly serializers: Record<number, (value: unknown) => unknown>;
  readonly shared: { readonly typeArrayMap: Record<number, number> };
}

function teachArrays(client: unknown): void {
  const { parsers, serializers, shared } = (client as { options: DriverTypes }).options;
  for (const [element, array] of arrayTypes) {
    parsers[array] = (text) => parseArray(text, parsers[element]);
    serializers[array] = (value) => serializeArray(value, serializers[element]);
    shared.typeArrayMap[element] = array;
  }
}
