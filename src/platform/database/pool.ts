import { createSemaphore, type Semaphore } from "../../base/async/semaphore.ts";
import { hourMs } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { type Connection, connect } from "./connection.ts";
import { type ConnectionTarget, describeTarget, type SocketAddress, socketTarget, urlTarget } from "./connection-target.ts";
import { bindCameraRoot, type Database, notesOf, type PoolCounters, type Sql } from "./database.ts";
import { IdleConnections } from "./idle-connections.ts";
import { Listener } from "./listener.ts";
import { DatabaseUnavailable, isConnectionLoss, isOutOfRoom, isWorthReconnecting, OutcomeUnknown } from "./pg-errors.ts";

export interface PoolOptions {
  /** Maximum number of connections, in addition to the one for `listen`. */
  readonly max: number;
  readonly log: Log;
  /** The schema whose tables the sessions use; the server's default if missing. */
  readonly schema?: string;
  /** Called with the text of each statement before it is sent. */
  readonly onStatement?: (text: string) => void;
  /** A session idle for this time is ended, except the last one. Default 30 s. */
  readonly idleMs?: number;
  /** A session older than this is ended when it is returned, together with everything it has cached. Default one hour. */
  readonly lifetimeMs?: number;
  /** Maximum wait of a long read for a slot. Default 20 s, less than the timeout of most clients. */
  readonly slotTimeoutMs?: number;
}

const connectTimeoutMs = 5_000;
const waitTimeoutMs = 10_000;
const closeTimeoutMs = 4_000;
const idleMs = 30_000;
const lifetimeMs = hourMs;
const reconnectDelayMs = 50;
/** A server that has just disappeared gets this time to return before callers are refused. */
const bridgedOutageMs = 2_000;

/**
 * A pool of sessions, opened when needed and ended after a peak. Callers queue in order of arrival for at most 10 s. An outage of up to 2
 * s (a restart) only delays callers that have not begun; after that they are refused at once with `DatabaseUnavailable`, while each new
 * caller triggers another attempt, so that the pool works as soon as the server is back. Values: bigint and counts are numbers, numeric
 * is text, timestamptz is a Date, bytea a Buffer, jsonb is parsed. Write jsonb as `sql.json(value)`: a plain object works too, but a
 * plain array of booleans or dates, or a plain null, is misread. Write arrays as `${texts}::text[]`, and arrays of booleans, dates and
 * buffers as `sql.array(dates)`.
 */
export function openPool(address: { readonly url: string } | SocketAddress, options: PoolOptions): Database {
  return new Pool("url" in address ? urlTarget(address.url) : socketTarget(address), options);
}

interface Waiter {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

class Pool implements Database {
  readonly #target: ConnectionTarget;
  readonly #options: PoolOptions;
  readonly #listener: Listener;
  readonly #open = new Set<Connection>();
  readonly #idle: IdleConnections;
  readonly #waiters: Waiter[] = [];
  readonly #subscribers = new Set<(note: string) => void>();
  #opening = 0;
  /** Time since which connecting fails; undefined while it works. */
  #failingSince: number | undefined;
  #lastFailure: unknown;
  readonly #slots: Semaphore;
  /** The folder to which stored paths are relative. */
  #cameraRoot: string | undefined;
  #evidenceKey: string | undefined;
  /** The connections that have that key. */
  #keyed = new WeakSet<Connection>();
  #closing: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;

  constructor(target: ConnectionTarget, options: PoolOptions) {
    this.#target = target;
    this.#options = options;
    const maxReaders = Math.max(1, Math.floor(options.max / 3));
    const slotTimeoutMs = options.slotTimeoutMs ?? 20_000;
    const error = (): Error =>
      new DatabaseUnavailable(`${maxReaders} long queries are being read, and none has finished for ${slotTimeoutMs / 1000} s`);
    this.#slots = createSemaphore({ max: maxReaders, timeout: { ms: slotTimeoutMs, error } });
    this.#idle = new IdleConnections(options.idleMs ?? idleMs, (connection) => this.#end(connection));
    this.#listener = new Listener((onClosed, onNotify) => connect(target, { ...this.#session(), onClosed, onNotify }), options.log);
  }

  get pool(): PoolCounters {
    const idle = this.#idle.size;
    return {
      size: this.#options.max,
      overflow: 0,
      checkedin: idle,
      checkedout: this.#open.size - idle,
      total_connections: this.#open.size,
      waiting: this.#waiters.length,
    };
  }

  async query<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const connection = this.#takeIdle() ?? (await this.#wait());
    const scope = scopeOf(connection.sql, this.#cameraRoot);
    let result: T;
    try {
      if (this.#lacksKey(connection)) await this.#giveKey(connection);
      result = await work(scope.sql);
    } catch (error) {
      throw this.#translate(error, connection);
    } finally {
      scope.end();
      this.#release(connection);
    }
    this.#announce(scope.sql);
    return result;
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const connection = await this.#begin();
    const scope = scopeOf(connection.sql, this.#cameraRoot);
    let result: T;
    try {
      try {
        result = await work(scope.sql);
      } catch (error) {
        scope.end();
        await this.#rollBack(connection);
        throw this.#translate(error, connection);
      }
      scope.end();
      await this.#commit(connection);
    } finally {
      this.#release(connection);
    }
    this.#announce(scope.sql);
    return result;
  }

  onCommitted(subscriber: (note: string) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  /** Runs after the connection is free again, so that subscribers can take it. The commit stands, whatever a subscriber throws. */
  #announce(sql: Sql): void {
    for (const note of notesOf(sql) ?? []) {
      for (const subscriber of this.#subscribers) {
        try {
          subscriber(note);
        } catch (error) {
          this.#options.log.error({ err: error, note }, "A subscriber of commits failed");
        }
      }
    }
  }

  async *iterate<T>(work: (sql: Sql) => AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T, void, undefined> {
    const release = await this.#slots.take(signal);
    try {
      const connection = await this.#begin();
      const scope = scopeOf(connection.sql, this.#cameraRoot);
      try {
        yield* work(scope.sql);
      } catch (error) {
        throw this.#translate(error, connection);
      } finally {
        scope.end();
        // Nothing was written: a rollback ends the snapshot in every case
        await this.#rollBack(connection);
        this.#release(connection);
      }
    } finally {
      release();
    }
  }

  setCameraRoot(cameraRoot: string): void {
    this.#cameraRoot = cameraRoot;
  }

  setEvidenceKey(key: string): void {
    if (key !== this.#evidenceKey) this.#keyed = new WeakSet();
    this.#evidenceKey = key;
  }

  #lacksKey(connection: Connection): boolean {
    return this.#evidenceKey !== undefined && !this.#keyed.has(connection);
  }

  /** Tells a session the key, so that the triggers of evidence know it as one of homesec. */
  async #giveKey(connection: Connection): Promise<void> {
    await connection.sql`select set_config('homesec.evidence_key', ${this.#evidenceKey ?? ""}, false)`;
    this.#keyed.add(connection);
  }

  listen(channel: string, onNotify: (payload: string) => void, onReady?: () => void): Promise<() => Promise<void>> {
    if (this.#closing) return Promise.reject(closedError());
    return this.#listener.listen(channel, onNotify, onReady);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const waiter of this.#waiters.splice(0)) settle(waiter).reject(closedError());
    await this.#listener.close();
    await Promise.all(this.#idle.takeAll().map((connection) => connection.end()));
    if (this.#open.size > 0) {
      const drained = new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
      const timer = setTimeout(() => {
        this.#options.log.warn({ connections: this.#open.size }, "Database work was still running at shutdown and was aborted");
        for (const connection of [...this.#open]) connection.destroy();
      }, closeTimeoutMs);
      await drained;
      clearTimeout(timer);
    }
  }

  /** Returns a connection with an open transaction. A connection that died while idle is detected here, before any work, and replaced. */
  async #begin(): Promise<Connection> {
    for (let left = this.#options.max; ; left -= 1) {
      const connection = this.#takeIdle() ?? (await this.#wait());
      try {
        if (this.#lacksKey(connection)) await this.#giveKey(connection);
        await connection.sql`begin`;
        return connection;
      } catch (error) {
        if (isConnectionLoss(error)) connection.destroy();
        this.#release(connection);
        if (left === 0 || !isConnectionLoss(error)) throw this.#translate(error, connection);
      }
    }
  }

  async #commit(connection: Connection): Promise<void> {
    if (connection.closed) throw new DatabaseUnavailable("the connection was lost before the change was committed");
    let command: string;
    try {
      command = (await connection.sql`commit`).command;
    } catch (cause) {
      if (!isConnectionLoss(cause)) throw this.#translate(cause, connection);
      connection.destroy();
      throw new OutcomeUnknown({ cause });
    }
    // The server replies ROLLBACK to a commit after an error that the caller caught
    if (command !== "COMMIT") throw new Error("The transaction was rolled back, since a statement in it had failed");
  }

  async #rollBack(connection: Connection): Promise<void> {
    try {
      if (!connection.closed) await connection.sql`rollback`;
    } catch (error) {
      // The end of the session rolls back too
      if (!isConnectionLoss(error)) this.#options.log.warn({ err: error }, "A rollback failed; the connection is dropped");
      connection.destroy();
    }
  }

  #translate(error: unknown, connection: Connection): unknown {
    if (error instanceof DatabaseUnavailable) return error;
    if (isOutOfRoom(error)) return new DatabaseUnavailable("its disk or memory is full, or its disk fails", { cause: error });
    if (!isConnectionLoss(error)) return error;
    connection.destroy();
    return new DatabaseUnavailable("the connection was lost", { cause: error });
  }

  #takeIdle(): Connection | undefined {
    return this.#closing ? undefined : this.#idle.take();
  }

  #wait(): Promise<Connection> {
    if (this.#closing) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(
          new DatabaseUnavailable(
            this.#failingSince === undefined
              ? `all ${this.#options.max} connections were busy for ${waitTimeoutMs / 1000} s`
              : `no connection to ${describeTarget(this.#target)} within ${waitTimeoutMs / 1000} s`,
            { cause: this.#lastFailure },
          ),
        );
      }, waitTimeoutMs);
      const waiter: Waiter = { resolve, reject, timer };
      this.#waiters.push(waiter);
      this.#openWhatIsMissing();
    });
  }

  #openWhatIsMissing(): void {
    while (this.#opening < this.#waiters.length && this.#open.size + this.#opening < this.#options.max) {
      this.#opening += 1;
      // #openOne never rejects
      void this.#openOne();
    }
  }

  #session(): { readonly log: Log; readonly timeoutMs: number; readonly schema?: string } {
    const { log, schema } = this.#options;
    return { log, timeoutMs: connectTimeoutMs, ...(schema !== undefined && { schema }) };
  }

  async #openOne(): Promise<void> {
    const begunAt = performance.now();
    try {
      const connection: Connection = await connect(this.#target, {
        ...this.#session(),
        onClosed: () => this.#forget(connection),
        ...(this.#options.onStatement && { onStatement: this.#options.onStatement }),
      });
      this.#opening -= 1;
      this.#failingSince = undefined;
      this.#lastFailure = undefined;
      this.#open.add(connection);
      this.#release(connection);
    } catch (error) {
      this.#opening -= 1;
      this.#connectFailed(error, begunAt);
    }
  }

  #connectFailed(error: unknown, begunAt: number): void {
    this.#lastFailure = error;
    this.#failingSince ??= begunAt;
    const bridging = isWorthReconnecting(error) && performance.now() - this.#failingSince < bridgedOutageMs;
    // Used connections become free again, even if the server permits no more of them
    if (bridging || this.#open.size > 0) {
      setTimeout(() => this.#openWhatIsMissing(), reconnectDelayMs);
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const refusal = new DatabaseUnavailable(`no connection to ${describeTarget(this.#target)} (${reason})`, { cause: error });
    for (const waiter of this.#waiters.splice(0)) settle(waiter).reject(refusal);
  }

  #release(connection: Connection): void {
    if (connection.closed) {
      this.#forget(connection);
      return;
    }
    if (this.#closing || performance.now() - connection.openedAt > (this.#options.lifetimeMs ?? lifetimeMs)) {
      this.#end(connection);
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter) settle(waiter).resolve(connection);
    else this.#idle.give(connection);
  }

  #end(connection: Connection): void {
    connection.end().catch((error: unknown) => this.#options.log.warn({ err: error }, "A database connection could not be closed"));
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    this.#idle.remove(connection);
    if (this.#open.size === 0) this.#onDrained?.();
    if (!this.#closing) this.#openWhatIsMissing();
  }
}

function settle(waiter: Waiter): Waiter {
  clearTimeout(waiter.timer);
  return waiter;
}

function closedError(): DatabaseUnavailable {
  return new DatabaseUnavailable("it has been closed");
}

/** Returns the tag for one piece of work. After the work it refuses to run, since the connection may then serve another transaction. */
function scopeOf(sql: Sql, cameraRoot: string | undefined): { readonly sql: Sql; end(): void } {
  let over = false;
  const lent = (...values: unknown[]) => {
    if (over) throw new Error("A statement ran after its transaction or query had ended; await every statement inside it");
    return (sql as unknown as (...values: unknown[]) => unknown)(...values);
  };
  Object.setPrototypeOf(lent, sql);
  if (cameraRoot !== undefined) bindCameraRoot(lent as unknown as Sql, cameraRoot);
  return {
    sql: lent as unknown as Sql,
    end: () => {
      over = true;
    },
  };
}
