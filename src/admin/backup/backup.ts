import { createHash, type Hash } from "node:crypto";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Clock } from "../../base/clock/clock.ts";
import { Problem } from "../../contract/problem.ts";
import { storedRoot } from "../../monitoring/cameras/relative-paths-repository.ts";
import { copyOut } from "../../platform/database/copy.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { type Migration, migrationStatus } from "../../platform/database/migrate.ts";
import { countLines, endOfRows, formatVersion, type Header, type Manifest, type Progress, type TableStart } from "./format.ts";
import { explained, writeWhole } from "./partial-file.ts";
import {
  backendOf,
  cancelBackend,
  copyTableOut,
  estimatedRows,
  holdTables,
  identityColumns,
  notBackedUp,
  sequenceState,
  type TableShape,
  tableShapes,
  takeSnapshot,
} from "./tables-repository.ts";

export interface BackupOptions {
  readonly db: Database;
  /** Absolute path of the backup file. */
  readonly path: string;
  /** Whether an existing file may be replaced. */
  readonly replace: boolean;
  /** Version of this program. */
  readonly version: string;
  /** Name of this machine, and CAMERA_ROOT, which counts unless the database names another folder to which its paths are relative. */
  readonly host: string;
  readonly cameraRoot: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** The content of a backup. */
export interface BackupReport {
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  readonly tables: number;
  readonly rows: number;
  readonly created_at: Date;
  /** The newest migration of the database. */
  readonly schema: string;
}

/** A migration may interfere once or twice, not again and again. */
const maxTries = 5;
/** Fast enough for a small computer; higher levels save a few per cent. */
const compression = { level: 4 };

/**
 * Writes all tables as of one moment into one file, while others go on writing. The file appears only when it is complete. Throws
 * `Problem`: `conflict` if the file exists and may not be replaced, or the database is empty or not homesec's; `unavailable` if the file
 * cannot be written. Rejects with the reason of the signal.
 */
export async function backUp(options: BackupOptions): Promise<BackupReport> {
  const { db, path, replace } = options;
  if (!replace && (await isThere(path))) {
    throw new Problem("conflict", `${path} is there already; give another name, or replace it with --yes`);
  }
  const created_at = options.clock.now();
  for (let left = maxTries; left > 0; left -= 1) {
    const before = await requireSchema(db);
    const report = await db.transaction(async (sql) => {
      await takeSnapshot(sql);
      const tables = (await tableShapes(sql)).filter(({ table }) => !notBackedUp.has(table));
      await holdTables(
        sql,
        tables.map(({ table }) => table),
      );
      // A migration between the first statement and the lock would not be in the snapshot.
      if (!sameMigrations(before, await requireSchema(db))) return undefined;
      const written = await writeWhole(path, async (file) => {
        const source = { sql, tables, applied: before, created_at, counted: { rows: 0 } };
        let bytes = 0;
        const put = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
          for await (const chunk of chunks) {
            await file.writeFile(chunk);
            bytes += chunk.length;
          }
        };
        await pipeline(textOf(source, options), createGzip(compression), put, options.signal ? { signal: options.signal } : {});
        return { rows: source.counted.rows, bytes };
      });
      return { path, ...written, tables: tables.length, created_at, schema: before.at(-1)?.name ?? "" };
    });
    if (report) return report;
  }
  throw new Problem("conflict", "the schema of the database is being changed; try again when that has ended");
}

interface Source {
  readonly sql: Sql;
  readonly tables: readonly TableShape[];
  readonly applied: readonly Migration[];
  readonly created_at: Date;
  readonly counted: { rows: number };
}

async function* textOf(source: Source, options: BackupOptions): AsyncGenerator<Buffer, void, undefined> {
  const { sql, tables, applied, counted } = source;
  const all = createHash("sha256");
  const header: Header = {
    homesec_backup: formatVersion,
    created_at: source.created_at.toISOString(),
    version: options.version,
    host: options.host,
    camera_root: (await storedRoot(sql)) ?? options.cameraRoot,
    migrations: applied.map(({ version, name, checksum }) => ({ version, name, checksum })),
    tables: tables.map(({ table }) => table),
  };
  yield hashed(all, line(header));
  const pid = await backendOf(sql);
  const allRows = options.onProgress ? await estimatedRows(sql, header.tables) : undefined;
  const cancel = () => options.db.query((other) => cancelBackend(other, pid));
  const manifest: Record<string, Manifest["manifest"][string]> = {};
  for (const [at, shape] of tables.entries()) {
    const tell = () =>
      options.onProgress?.({ step: "writing", table: shape.table, tables: at + 1, allTables: tables.length, rows: counted.rows, allRows });
    tell();
    const start: TableStart = { table: shape.table, columns: [...shape.columns] };
    yield hashed(all, line(start));
    const own = createHash("sha256");
    let rows = 0;
    let bytes = 0;
    for await (const chunk of copyOut(copyTableOut(sql, shape), cancel)) {
      own.update(chunk);
      const lines = countLines(chunk);
      rows += lines;
      bytes += chunk.length;
      counted.rows += lines;
      yield hashed(all, chunk);
      tell();
    }
    yield hashed(all, Buffer.from(endOfRows));
    manifest[shape.table] = { rows, bytes, sha256: own.digest("hex") };
  }
  const sequences: Manifest["sequences"] = [];
  for (const column of await identityColumns(sql)) {
    if (manifest[column.table]) sequences.push(await sequenceState(sql, column));
  }
  yield line({ manifest, sequences, sha256: all.digest("hex") } satisfies Manifest);
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function hashed(hash: Hash, chunk: Buffer): Buffer {
  hash.update(chunk);
  return chunk;
}

async function requireSchema(db: Database): Promise<readonly Migration[]> {
  const { applied, refusal } = await migrationStatus(db);
  if (refusal !== null) throw new Problem("conflict", refusal);
  if (applied.length === 0) throw new Problem("conflict", "the database is empty: there is nothing to back up yet");
  return applied;
}

function sameMigrations(some: readonly Migration[], others: readonly Migration[]): boolean {
  return some.length === others.length && some.every(({ version }, at) => others[at]?.version === version);
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return false;
      throw explained(error, path);
    },
  );
}
