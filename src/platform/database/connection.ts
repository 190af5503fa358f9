import type net from "node:net";
import postgres from "postgres";
import type { Log } from "../../base/log/log.ts";
import { arrayTypes, parseArray, serializeArray } from "./column-types.ts";
import type { ConnectionTarget } from "./connection-target.ts";
import type { Sql } from "./database.ts";
import { openServerSocket } from "./server-socket.ts";

/** Tells the sessions of one process from those of another. */
export const applicationName = `homesec ${process.pid}`;

/** One session on the server. It never reconnects: once closed it stays closed, and all that waited on it was rejected. */
export interface Connection {
  readonly sql: Sql;
  readonly closed: boolean;
  /** When it was opened, of `performance.now()`. */
  readonly openedAt: number;
  /** Says goodbye to the server and waits for it, for half a second at most. */
  end(): Promise<void>;
  /** Drops the session at once. */
  destroy(): void;
}

export interface ConnectOptions {
  readonly log: Log;
  readonly timeoutMs: number;
  /** The schema whose tables the session sees; the server's default without one. */
  readonly schema?: string;
  /** The session, once open, ended for whatever reason; called once. */
  readonly onClosed?: () => void;
  readonly onNotify?: (channel: string, payload: string) => void;
  readonly onStatement?: (text: string) => void;
}

/**
 * Opens a session and waits until the server takes statements.
 * Rejects with the system's or the server's error; nothing is left open then.
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

  // An answer that arrived before the connection went is delivered; all else is rejected with CONNECTION_DESTROYED.
  const lose = () => {
    if (closed) return;
    closed = true;
    socket.destroy();
    sql.end({ timeout: 0 }).catch((error: unknown) => log.error({ err: error }, "A lost database connection could not be put away"));
    if (established) options.onClosed?.();
  };

  let late = false;
  const giveUp = () => {
    late = true;
    socket.destroy();
  };
  const timer = setTimeout(giveUp, Math.max(1, deadline - performance.now()));
  try {
    if (socket.destroyed) lose();
    await sql`select 1`;
  } catch (error) {
    lose();
    if (!late) throw error;
    throw Object.assign(new Error(`The server did not take statements within ${timeoutMs} ms`, { cause: error }), {
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
 * postgres.js as a driver for one socket. Left alone it would reconnect in the middle of a transaction, and may write to
 * a socket that is no more, which ends the process. So it is given the socket once, and learns neither of its closing
 * nor of its errors: whoever holds the connection does, and ends the client.
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
    // a plan kept from when a table was nearly empty would make its statement slower with each row
    connection: {
      application_name: applicationName,
      plan_cache_mode: "force_custom_plan",
      // how times are told, whatever the server, the database or the role say
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
 * The driver keeps, for as long as the process lives, an error for each place that makes a statement, to tell in a later error where that was.
 * Until its stack is read such an error holds the frames, and with them the first client that the place used, with all its statements, long after
 * the session is gone. So it is read at once, which costs something the first time only.
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
  // identities, counts and nanoseconds up to 2^53 are exact as numbers
  bigint: { to: 20, from: [20], serialize: (value: unknown) => String(value), parse: Number },
  timestamptz: { to: 1184, from: [1184], serialize: (time: Date | string) => new Date(time).toISOString(), parse: timeOf },
};

/** The time that a session tells, in UTC. As PostgreSQL writes it, with a space, JavaScript would take the year 0001 for 2001. */
function timeOf(text: string): Date {
  return new Date(text.replace(/^(\d{4}-\d\d-\d\d) (.*)\+00$/, "$1T$2Z"));
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
