import type postgres from "postgres";

/** The tag for statements and fragments: ``sql`select ...` ``. A repository function takes one as its first argument. */
// biome-ignore lint/complexity/noBannedTypes: the library's own way to say "no custom types"
export type Sql = postgres.ISql<{}>;

/** A part of a statement, created by the tag. */
export type SqlFragment = postgres.PendingQuery<postgres.Row[]>;

/** Counters of the pool, shown in the health report. */
export interface PoolCounters {
  readonly size: number;
  readonly overflow: number;
  readonly checkedin: number;
  readonly checkedout: number;
  readonly total_connections: number;
  /** Callers that wait for a free connection. */
  readonly waiting: number;
}

/** Access to PostgreSQL. While it is unreachable, calls reject with `DatabaseUnavailable` (pg-errors.ts). */
export interface Database {
  /**
   * Runs one or a few statements outside of a transaction, on one connection. If the connection is lost during a write, the write may
   * have taken effect.
   */
  query<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` between begin and commit; an error rolls back. A connection lost at COMMIT rejects with `OutcomeUnknown`. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Yields the values of `work` from one snapshot: for results too large for memory, with `cursorBatches`. It begins with the first
   * `next()` and holds its connection until the end, a `return()` or an error. At most a third of the pool serves such readers, so that
   * short queries find connections; others wait for a slot until the signal aborts, or reject with `DatabaseUnavailable` if none becomes
   * free in time.
   */
  iterate<T>(work: (sql: Sql) => AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T, void, undefined>;
  /**
   * Calls `onNotify` with each payload of the channel, and `onReady` after each (re)connection, since notifications in between are lost.
   * Resolves to a function that stops it.
   */
  listen(channel: string, onNotify: (payload: string) => void, onReady?: () => void): Promise<() => Promise<void>>;
  /**
   * Calls `subscriber` with each note (`noteForCommit`) of a transaction or query of this database after its commit. Notes of a
   * transaction that rolled back, or with an unknown outcome, never arrive. Returns a function that unsubscribes.
   */
  onCommitted(subscriber: (note: string) => void): () => void;
  /** Makes stored paths relative to this folder in all transactions and queries from now on (stored-paths.ts). */
  setCameraRoot(cameraRoot: string): void;
  /**
   * Makes all work from now on known as that of homesec: changes of rows in sealed days count as legitimate only in sessions with this key
   * (hexadecimal). It comes from the key file.
   */
  setEvidenceKey(key: string): void;
  readonly pool: PoolCounters;
  /** Refuses new work, waits at most 4 s for running work and ends all connections. */
  close(): Promise<void>;
}

const rootBySql = new WeakMap<Sql, string>();

/** Makes the stored paths of a transaction or query relative to a folder. */
export function bindCameraRoot(sql: Sql, cameraRoot: string): void {
  rootBySql.set(sql, cameraRoot);
}

/** Returns the folder to which the stored paths of a transaction or query are relative; undefined: paths are stored as they are. */
export function cameraRootOf(sql: Sql): string | undefined {
  return rootBySql.get(sql);
}

const notesBySql = new WeakMap<Sql, Set<string>>();

/**
 * Adds a note that subscribers of `Database.onCommitted` receive once the transaction or query of `sql` has committed. Equal notes of one
 * transaction arrive once. A rollback discards them. There are no savepoints: `Sql` cannot nest.
 */
export function noteForCommit(sql: Sql, note: string): void {
  const notes = notesBySql.get(sql) ?? new Set();
  notesBySql.set(sql, notes.add(note));
}

/** Returns the notes added through `sql` up to now. */
export function notesOf(sql: Sql): ReadonlySet<string> | undefined {
  return notesBySql.get(sql);
}

/**
 * Numbers of the advisory locks on the database. Their meaning never changes and none is reused, since daemons of two versions may share
 * a database. All but the first two are classes of locks, one per camera, class or worker.
 */
export const advisoryLocks = {
  /** Migrating the schema. */
  schema: 7_266_311_405,
  /** Assigning a camera its id, name or folder. */
  cameraIdentities: 7_006,
  /** Opening, filling or closing batches of a camera. */
  batches: 7_001,
  /** Recognising objects of a class by their vectors. */
  vectors: 7_002,
  /** Learning or deleting the baseline of a camera. */
  baselines: 7_004,
  /** Registering files of folders that several cameras share. */
  sharedFolders: 7_007,
  /** Following up on alerts that no one has acknowledged. */
  followUps: 7_008,
  /** Sealing a day, or changing rows of sealed days; a trigger of the schema takes it, too. */
  evidenceDays: 7_009,
  /** Running a worker that exists once among all daemons; held by a session. */
  singletons: 7_005,
} as const;
