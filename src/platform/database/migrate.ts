import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { packageRoot } from "../../base/version.ts";
import { Problem } from "../../contract/problem.ts";
import { advisoryLocks, type Database, type Sql } from "./database.ts";

/** One numbered file of the migrations folder. */
export interface Migration {
  readonly version: number;
  /** The file's name, `0001_init.sql`. */
  readonly name: string;
  readonly checksum: string;
}

export interface MigrationStatus {
  readonly applied: readonly (Migration & { readonly applied_at: Date })[];
  /** The migrations that this program would apply, in order. */
  readonly pending: readonly Migration[];
  /** The reason why this program must not touch the database, with the fix; null if it may. */
  readonly refusal: string | null;
}

interface MigrationFile extends Migration {
  readonly text: string;
}

/**
 * Migrates the schema to this program's version: each file in its own transaction, each once, even if several programs start together.
 * Returns the migrations applied now. Throws `Problem("conflict")` without changing anything if an applied file was edited or is missing,
 * or if the database is newer than the program; a file that fails leaves no trace.
 */
export async function migrate(
  db: Database,
  options: { readonly folder?: string; readonly log: Log; readonly clock: Clock },
): Promise<readonly Migration[]> {
  const files = await readMigrations(options.folder ?? migrationsFolder());
  const isNew = (await db.query(readApplied)).length === 0;
  const done: Migration[] = [];
  for (;;) {
    const migration = await db.transaction((sql) => applyNext(sql, files, options.clock));
    if (!migration) break;
    if (!isNew) options.log.info({ migration: migration.name }, "The database schema was migrated");
    done.push(migration);
  }
  if (isNew && done.length > 0) options.log.info({ migrations: done.length }, "The database schema was created");
  return done;
}

/**
 * Migrates the schema in the caller's transaction, to the version `upTo` or to the newest one. Other migrations wait until that
 * transaction ends. Throws as `migrate` does.
 */
export async function migrateWithin(
  sql: Sql,
  options: { readonly folder?: string; readonly clock: Clock; readonly upTo?: number },
): Promise<void> {
  const files = await readMigrations(options.folder ?? migrationsFolder());
  const wanted = files.filter(({ version }) => version <= (options.upTo ?? Number.POSITIVE_INFINITY));
  while (await applyNext(sql, wanted, options.clock));
}

/**
 * Returns the reason why this program cannot use a database with these applied migrations, with the fix; null if it can. `subject`
 * names the database.
 */
export async function refusalFor(
  applied: readonly Migration[],
  options: { readonly folder?: string; readonly subject: string },
): Promise<string | null> {
  return refusalOf(await readMigrations(options.folder ?? migrationsFolder()), applied, options.subject);
}

/** Compares the database with this program's files, changing nothing. */
export async function migrationStatus(db: Pick<Database, "query">, options: { readonly folder?: string } = {}): Promise<MigrationStatus> {
  const files = await readMigrations(options.folder ?? migrationsFolder());
  const applied = await db.query((sql) => readApplied(sql));
  return {
    applied,
    pending: files.filter((file) => !isApplied(file, applied)).map(withoutText),
    refusal: refusalOf(files, applied),
  };
}

async function applyNext(sql: Sql, files: readonly MigrationFile[], clock: Clock): Promise<Migration | undefined> {
  // Held until the transaction ends
  await sql`select pg_advisory_xact_lock(${advisoryLocks.schema})`;
  const applied = await readApplied(sql);
  const refusal = refusalOf(files, applied);
  if (refusal !== null) throw new Problem("conflict", refusal);
  const next = files.find((file) => !isApplied(file, applied));
  if (!next) return undefined;
  await sql`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null
    )`;
  try {
    await sql.unsafe(next.text);
  } catch (cause) {
    throw new Error(`Migration ${next.name} failed and was rolled back: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  await sql`
    insert into schema_migrations (version, name, checksum, applied_at)
    values (${next.version}, ${next.name}, ${next.checksum}, ${clock.now()})`;
  return withoutText(next);
}

async function readApplied(sql: Sql): Promise<(Migration & { readonly applied_at: Date })[]> {
  // Reads pg_class: to_regclass would use the connection's cache from before it waited for the lock
  const [table] = await sql<[{ present: boolean }]>`
    select exists (
      select from pg_catalog.pg_class c where c.relname = 'schema_migrations' and pg_table_is_visible(c.oid)
    ) as present`;
  if (!table.present) return [];
  return sql<(Migration & { readonly applied_at: Date })[]>`
    select m.version, m.name, m.checksum, m.applied_at
    from schema_migrations m
    order by m.version`;
}

function refusalOf(files: readonly MigrationFile[], applied: readonly Migration[], subject = "The database"): string | null {
  const newest = files.at(-1);
  for (const row of applied) {
    const file = files.find((candidate) => candidate.version === row.version);
    if (!file && row.version > (newest?.version ?? 0)) {
      return `${subject} was made by a newer homesec (it has migration ${row.name}, this program ends with ${newest?.name ?? "none"}); install that version or a later one, or restore a backup from before`;
    }
    if (!file) {
      return `Migration ${row.name} was applied to ${lowered(subject)} but its file is missing from this program; install homesec again, complete`;
    }
    if (file.checksum !== row.checksum) {
      return `Migration ${file.name} was changed after it had been applied; restore the file as it was released (install homesec again) and put the change into a new migration`;
    }
  }
  const last = applied.at(-1);
  const late = files.find((file) => last && file.version < last.version && !isApplied(file, applied));
  return late && last
    ? `Migration ${late.name} is new but numbered before ${last.name}, which was applied already; give it a higher number`
    : null;
}

function lowered(subject: string): string {
  return subject.charAt(0).toLowerCase() + subject.slice(1);
}

function isApplied(file: MigrationFile, applied: readonly Migration[]): boolean {
  return applied.some((row) => row.version === file.version);
}

async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const number = /^(\d{4})_\w+\.sql$/.exec(name)?.[1];
      if (number === undefined) throw new Error(`${join(folder, name)} must have a name like 0001_what_it_does.sql`);
      const text = await readFile(join(folder, name), "utf8");
      return { version: Number(number), name, checksum: createHash("sha256").update(text).digest("hex"), text };
    }),
  );
  const twice = files.find((file, at) => files[at + 1]?.version === file.version);
  if (twice) throw new Error(`Two migrations in ${folder} have the number of ${twice.name}`);
  return files;
}

/** Returns the migrations folder of this package. */
function migrationsFolder(): string {
  return join(packageRoot(), "migrations");
}

function withoutText(file: MigrationFile): Migration {
  return { version: file.version, name: file.name, checksum: file.checksum };
}
