import type postgres from "postgres";

/** The tag for statements and fragments: ``sql`select ...` ``. A repository function takes one as its first argument. */
// biome-ignore lint/complexity/noBannedTypes: the library's own way to say "no custom types"
export type Sql = postgres.ISql<{}>;

/** A part of a statement, as the tag makes it. */
export type SqlFragment = postgres.PendingQuery<postgres.Row[]>;

/** Counters of the pool, as health shows them. */
export interface PoolCounters {
  readonly size: number;
  readonly overflow: number;
  readonly checkedin: number;
  readonly checkedout: number;
  readonly total_connections: number;
  /** Callers that wait for a free connection. */
  readonly waiting: number;
}

/** PostgreSQL as the rest of the code sees it. While it is out of reach, work is refused with `DatabaseUnavailable` (pg-errors.ts). */
export interface Database {
  /** Runs one or a few statements outside of a transaction, on one connection. A write whose connection is lost may have happened. */
  query<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` between begin and commit; an error rolls back. A connection lost at COMMIT rejects with `OutcomeUnknown`. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Yields what `work` yields, from one snapshot: for answers too long for memory, with `cursorBatches`. The connection is lent until the end, a
   * `return()` or an error; begun with the first `next()`. To leave connections for the short ones, a third of the pool is lent to these at
   * most; others wait for their turn, until the signal tells that nobody waits any more, or with `DatabaseUnavailable` when it does not come.
   */
  iterate<T>(work: (sql: Sql) => AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T, void, undefined>;
  /** Calls `onNotify` with each payload of the channel; `onReady` after each (re)connection, since notifications in between are lost. Returns how to stop. */
  listen(channel: string, onNotify: (payload: string) => void, onReady?: () => void): Promise<() => Promise<void>>;
  /**
   * Calls `subscriber` with each note (commit-notes.ts) of a transaction or query of this database after its commit. Notes of a transaction that
   * rolled back, or whose outcome is unknown, never arrive. Returns how to unsubscribe.
   */
  onCommitted(subscriber: (note: string) => void): () => void;
  readonly pool: PoolCounters;
  /** Refuses new work, lets what is under way finish (4 s at most) and ends all connections. */
  close(): Promise<void>;
}
