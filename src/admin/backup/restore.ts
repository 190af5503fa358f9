import { type FileHandle, open } from "node:fs/promises";
import type { Clock } from "../../base/clock/clock.ts";
import { Problem } from "../../contract/problem.ts";
import { allCameras } from "../../monitoring/cameras/cameras-repository.ts";
import { moveStoredPaths } from "../../monitoring/cameras/relative-paths.ts";
import { copyIn } from "../../platform/database/copy.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { migrateWithin, refusalFor } from "../../platform/database/migrate.ts";
import { isDataRefused, isLockTimeout } from "../../platform/database/pg-errors.ts";
import { readingReason } from "../../platform/disk/file-reason.ts";
import { countLines, type Header, type Manifest, type Progress } from "./format.ts";
import { guessFormerRoot } from "./former-root.ts";
import { holdBack } from "./hold.ts";
import { readBackup } from "./read.ts";
import {
  analyzeTables,
  dropEverything,
  emptyTables,
  objectsElsewhere,
  putReferences,
  type SchemaObject,
  schemaObjects,
  switchTriggers,
  takeReferences,
  waitAtMost,
} from "./schema-repository.ts";
import {
  copyTableIn,
  filledFromTheStart,
  firstWithRows,
  identityColumns,
  journalHead,
  livingProcess,
  notBackedUp,
  raiseJournalHead,
  setSequence,
  type TableShape,
  tableShapes,
} from "./tables-repository.ts";

export interface RestoreOptions {
  readonly db: Database;
  /** Absolute path of the backup. */
  readonly path: string;
  /** Whether existing data may be replaced. */
  readonly replace: boolean;
  /** How the data is fitted to this machine and this time; without it, the data stays as it was. */
  readonly fitting?: Fitting;
  /** No other process can use the database: its server was started for this restore. */
  readonly alone: boolean;
  readonly clock: Clock;
  /** Folder of the migrations, for tests. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** How restored data is fitted to this machine and this time. */
export interface Fitting {
  /**
   * CAMERA_ROOT of this machine, then CAMERA_EXTRA_ROOTS. The cameras below the CAMERA_ROOT of the backup get the same folders below the
   * one of this machine.
   */
  readonly roots: readonly string[];
  /** CAMERA_ROOT of the backup. Without it, the one that the backup names; one of an older version does not, and it is guessed. */
  readonly formerRoot?: string | undefined;
  /** What becomes of messages that were not sent at the time of the backup, and of alerts about what was over before the restore. */
  readonly outstanding: "hold" | "send";
}

/** The result of a restore. */
export interface RestoreReport {
  readonly path: string;
  readonly tables: number;
  readonly rows: number;
  /** When the backup was made; the version that made it. */
  readonly created_at: Date;
  readonly version: string;
  /** The machine of the backup, and its CAMERA_ROOT; null if the backup does not name them and homesec cannot tell. */
  readonly host: string | null;
  readonly camera_root: string | null;
  /** Number of outstanding messages that are held back. */
  readonly held: number;
  /** Whether existing data was replaced. */
  readonly replaced: boolean;
  /** Tables of the backup that do not belong to homesec. */
  readonly left_out: readonly string[];
}

const lockWaitSeconds = 10;

/**
 * Restores a backup into the database. Checks the whole file before it changes anything. Then everything happens in one transaction:
 * until its end, the database keeps its old content, whatever interrupts it. The tables are created as of the backup, filled, and
 * migrated to this program's version. Throws `Problem`: `not_found` without the file, the problems of `readBackup`, and `conflict` if the
 * backup is newer than this program, or the database is in use, holds data that may not be replaced, or has foreign tables. Rejects with
 * the reason of the signal.
 */
export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { path } = options;
  const file = await openFile(path);
  try {
    const { header, manifest } = await check(file, options);
    const refusal = await refusalFor(header.migrations, { ...options, subject: "The backup" });
    if (refusal !== null) throw new Problem("conflict", refusal);
    const done = await options.db
      .transaction((sql) => fill(sql, file, header, manifest, options))
      .catch((error: unknown) => {
        throw isLockTimeout(error) ? inUse(error) : error;
      });
    return { path, ...done, created_at: new Date(header.created_at), version: header.version, host: header.host ?? null };
  } finally {
    await file.close();
  }
}

/** What a backup says about itself. Throws `Problem` as `restore` does. */
export async function headerOf(path: string): Promise<Header> {
  const file = await openFile(path);
  try {
    for await (const part of readBackup(file, path)) if (part.kind === "header") return part.header;
    throw new Error("a backup begins without a header");
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new Problem("invalid", `${path} is no file`);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") throw new Problem("not_found", `${path} does not exist`, { cause: error });
    throw new Problem("unavailable", `${path} cannot be read: ${readingReason(error)}`, { cause: error });
  }
}

/** Reads the whole file once. */
async function check(file: FileHandle, options: RestoreOptions): Promise<{ readonly header: Header; readonly manifest: Manifest }> {
  let header: Header | undefined;
  let tables = 0;
  let rows = 0;
  for await (const part of readBackup(file, options.path)) {
    if (part.kind === "header") header = part.header;
    if (part.kind === "manifest" && header) return { header, manifest: part.manifest };
    if (part.kind !== "table") continue;
    tables += 1;
    for await (const chunk of part.rows) {
      options.signal?.throwIfAborted();
      rows += countLines(chunk);
      options.onProgress?.({ step: "checking", table: part.start.table, tables, allTables: header?.tables.length ?? 0, rows });
    }
  }
  throw new Error("a backup was read to its end without a manifest");
}

/** Returns the filled tables, and whether there was data before. */
async function fill(
  sql: Sql,
  file: FileHandle,
  header: Header,
  manifest: Manifest,
  options: RestoreOptions,
): Promise<Pick<RestoreReport, "tables" | "rows" | "replaced" | "left_out" | "camera_root" | "held">> {
  const { signal, onProgress } = options;
  const migrations = migrationsOf(options);
  await waitAtMost(sql, lockWaitSeconds);
  const before = await clear(sql, options);
  await migrateWithin(sql, { ...migrations, upTo: Math.max(...header.migrations.map(({ version }) => version)) });
  const shapes = (await tableShapes(sql)).filter(({ table }) => !notBackedUp.has(table));
  requireSameTables(shapes, header, options.path);
  const names = shapes.map(({ table }) => table);
  const references = await takeReferences(sql);
  for (const table of names) await switchTriggers(sql, table, false);
  await emptyTables(sql, names);
  const { rows: allRows } = sums(manifest);
  const left_out: string[] = [];
  let tables = 0;
  let rows = 0;
  for await (const part of readBackup(file, options.path)) {
    if (part.kind !== "table") continue;
    const shape = shapes.find(({ table }) => table === part.start.table);
    if (!shape) {
      // Tables of programs that share the database are in the backup too, but are not restored.
      for await (const _ of part.rows) signal?.throwIfAborted();
      left_out.push(part.start.table);
      continue;
    }
    if (part.start.columns.some((column) => !shape.columns.includes(column))) throw unfitting(part.start.table, options.path);
    tables += 1;
    const tell = async function* (): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of part.rows) {
        rows += countLines(chunk);
        onProgress?.({ step: "restoring", table: shape.table, tables, allTables: names.length, rows, allRows });
        yield chunk;
      }
    };
    await copyIn(copyTableIn(sql, part.start), tell(), signal).catch(refuseData(options.path));
  }
  onProgress?.({ step: "finishing", table: "", tables, allTables: names.length, rows });
  signal?.throwIfAborted();
  await putReferences(sql, references).catch(refuseData(options.path));
  for (const table of names) await switchTriggers(sql, table, true);
  for (const identity of await identityColumns(sql)) {
    if (!names.includes(identity.table)) continue;
    const sequence = manifest.sequences.find(({ table, column }) => table === identity.table && column === identity.column);
    if (!sequence) throw unfitting(identity.table, options.path);
    await setSequence(sql, sequence).catch(refuseData(options.path));
  }
  // Never reuse a sequence number assigned after the backup: a client that has seen it must notice the gap.
  if (before.journalHead > (await journalHead(sql))) await raiseJournalHead(sql, before.journalHead + 1);
  await migrateWithin(sql, migrations);
  const fitted = options.fitting
    ? await fitRows(sql, header, options.fitting, options.clock.now())
    : { camera_root: header.camera_root ?? null, held: 0 };
  await analyzeTables(sql, names);
  signal?.throwIfAborted();
  return { tables, rows, left_out, replaced: before.hadData, ...fitted };
}

/** Fits the restored rows to this machine and to this time. */
async function fitRows(
  sql: Sql,
  header: Header,
  { roots, formerRoot, outstanding }: Fitting,
  now: Date,
): Promise<Pick<RestoreReport, "camera_root" | "held">> {
  const folders = (await allCameras(sql)).map(({ folder_path }) => folder_path);
  const former = formerRoot ?? header.camera_root ?? (await guessFormerRoot(folders, roots)) ?? null;
  if (former !== null) await moveStoredPaths(sql, former, roots);
  if (outstanding === "send") return { camera_root: former, held: 0 };
  const backupCreatedAt = new Date(header.created_at);
  const held = await holdBack(sql, { restoredAt: now, backupCreatedAt, host: header.host ?? null, cameraRoot: former });
  return { camera_root: former, held };
}

/** Checks whether the database may be filled, and deletes everything of homesec in it. */
async function clear(sql: Sql, options: RestoreOptions): Promise<{ readonly hadData: boolean; readonly journalHead: number }> {
  const names = (await tableShapes(sql)).map(({ table }) => table);
  const living = !options.alone && names.includes("processes") ? await livingProcess(sql) : undefined;
  if (living) {
    throw new Problem(
      "conflict",
      `a daemon uses the database (pid ${living.pid} on ${living.host}); stop it first, or wait 20 s when it has just been killed`,
    );
  }
  const filled = await firstWithRows(
    sql,
    names.filter((table) => !filledFromTheStart.has(table)),
  );
  if (filled !== undefined && !options.replace) {
    throw new Problem("conflict", `the database holds data already (in ${filled}); back it up first, or replace it all with --yes`);
  }
  const head = names.includes("journal_head") ? await journalHead(sql) : 0;
  const objects = await schemaObjects(sql);
  const elsewhere = await objectsElsewhere(sql);
  await dropEverything(sql);
  requireUnchanged(elsewhere, await objectsElsewhere(sql));
  if (objects.length > 0) await requireOwn(sql, objects, options);
  return { hadData: filled !== undefined, journalHead: head };
}

/** Objects in other schemas that depend on our tables are dropped with them; throwing undoes that. */
function requireUnchanged(before: readonly string[], after: readonly string[]): void {
  const kept = new Set(after);
  const gone = before.filter((name) => !kept.has(name));
  if (gone.length === 0) return;
  throw new Problem(
    "conflict",
    `what others made in another schema needs homesec's tables and would go with them (${gone.join(", ")}); drop it, restore, and make it again, or restore into an empty database, with another DATA_DIR or DATABASE_URL`,
  );
}

/** The old content is dropped already; throwing brings it back. */
async function requireOwn(sql: Sql, objects: readonly SchemaObject[], options: RestoreOptions): Promise<void> {
  await migrateWithin(sql, migrationsOf(options));
  const own = new Set((await schemaObjects(sql)).map(({ name }) => name));
  await dropEverything(sql);
  // Functions change from version to version, and an older one may have had others.
  const foreign = objects.filter(({ kind, name }) => kind !== "routine" && !own.has(name)).map(({ name }) => name);
  if (foreign.length === 0) return;
  throw new Problem(
    "conflict",
    `the database has tables or views that this homesec does not know (${foreign.join(", ")}); restore into an empty one, with another DATA_DIR or DATABASE_URL`,
  );
}

function migrationsOf({ clock, folder }: RestoreOptions) {
  return folder === undefined ? { clock } : { clock, folder };
}

function requireSameTables(shapes: readonly TableShape[], header: Header, path: string): void {
  const missing = shapes.find(({ table }) => !header.tables.includes(table));
  if (missing) throw unfitting(missing.table, path);
}

/** Counts and checksums are right, but homesec did not write this file. */
function refuseData(path: string): (cause: unknown) => never {
  return (cause) => {
    if (!isDataRefused(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Problem("unavailable", `${path} holds what the database does not take (${reason}); nothing was changed, use another backup`, {
      cause,
    });
  };
}

function inUse(cause: unknown): Problem {
  return new Problem("conflict", "another program uses the database and holds its tables; end what is connected to it, and try again", {
    cause,
  });
}

function unfitting(table: string, path: string): Problem {
  return new Problem("unavailable", `${path} does not fit its own schema (${table}); nothing was changed, use another backup`);
}

function sums(manifest: Manifest): { readonly tables: number; readonly rows: number } {
  const counts = Object.values(manifest.manifest);
  return { tables: counts.length, rows: counts.reduce((sum, { rows }) => sum + rows, 0) };
}
