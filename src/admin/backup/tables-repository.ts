import type { Sql } from "../../platform/database/database.ts";

/** Tables that are not backed up: they describe running processes, not history. */
export const notBackedUp: ReadonlySet<string> = new Set(["processes"]);

/** Tables that contain rows after the migrations or a first start: a database with rows only in these counts as empty. */
export const filledFromTheStart: ReadonlySet<string> = new Set([
  "schema_migrations",
  "journal_head",
  "rollup_folds",
  "processes",
  "chores",
  "reported_health",
  "restores",
  "camera_root",
]);

/** A table of homesec with the columns that hold data; generated columns are left out. */
export interface TableShape {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Returns all tables of the current schema by name, without those of extensions. */
export async function tableShapes(sql: Sql): Promise<readonly TableShape[]> {
  return await sql<TableShape[]>`
    select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p')
      and c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    group by c.relname
    order by c.relname
  `;
}

/** Returns the estimated number of rows in these tables; 0 while there are no statistics. */
export async function estimatedRows(sql: Sql, tables: readonly string[]): Promise<number> {
  const [row] = await sql<[{ rows: number }]>`
    select coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as rows
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relname = any (${[...tables]}::text[])
  `;
  return row.rows;
}

/** Makes the rest of the transaction see the database as of now. Must be the first statement of a transaction. */
export async function takeSnapshot(sql: Sql): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`;
}

/** Prevents changes of structure and truncation of tables until the transaction ends; rows can still change. */
export async function holdTables(sql: Sql, tables: readonly string[]): Promise<void> {
  if (tables.length > 0) await sql`lock table ${sql([...tables])} in access share mode`;
}

/** Statement that copies a table out, for `copyOut`. */
export function copyTableOut(sql: Sql, { table, columns }: TableShape) {
  return sql`copy ${sql(table)} (${sql([...columns])}) to stdout`;
}

/** Statement that copies rows into a table, for `copyIn`. */
export function copyTableIn(sql: Sql, { table, columns }: TableShape) {
  return sql`copy ${sql(table)} (${sql([...columns])}) from stdin`;
}

/** Returns the backend id; another connection can use it to cancel the current statement of this one. */
export async function backendOf(sql: Sql): Promise<number> {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  return row.pid;
}

/** Cancels the current statement of a connection. */
export async function cancelBackend(sql: Sql, pid: number): Promise<void> {
  await sql`select pg_cancel_backend(${pid})`;
}

/** State of an identity column's numbering. */
export interface SequenceState {
  readonly table: string;
  readonly column: string;
  readonly last_value: string;
  readonly is_called: boolean;
}

/** Returns the identity columns of the current schema. */
export async function identityColumns(sql: Sql): Promise<readonly { readonly table: string; readonly column: string }[]> {
  return await sql<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relnamespace = current_schema()::regnamespace
    where a.attidentity <> '' and not a.attisdropped
    order by c.relname, a.attnum
  `;
}

/** Returns the state of the sequence behind an identity column. Sequences ignore snapshots: this is the state of now. */
export async function sequenceState(
  sql: Sql,
  { table, column }: { readonly table: string; readonly column: string },
): Promise<SequenceState> {
  const [name] = await sql<[{ sequence: string }]>`
    select s.relname as sequence
    from pg_class s
    where s.oid = pg_get_serial_sequence(quote_ident(${table}), ${column})::regclass
  `;
  const [row] = await sql<[{ last_value: string; is_called: boolean }]>`
    select s.last_value::text as last_value, s.is_called
    from ${sql(name.sequence)} s
  `;
  return { table, column, ...row };
}

/** Continues the numbering of an identity column where it was, and in any case after the highest number in the table. */
export async function setSequence(sql: Sql, { table, column, last_value, is_called }: SequenceState): Promise<void> {
  await sql`
    select setval(
      pg_get_serial_sequence(quote_ident(${table}), ${column}),
      greatest(${last_value}::text::bigint, h.highest),
      ${is_called} or h.highest is not null
    )
    from (select max(t.${sql(column)}) as highest from ${sql(table)} t) h
  `;
}

/** Returns the first of these tables that has a row. */
export async function firstWithRows(sql: Sql, tables: readonly string[]): Promise<string | undefined> {
  for (const table of tables) {
    const [row] = await sql<[{ present: boolean }]>`select exists (select from ${sql(table)}) as present`;
    if (row.present) return table;
  }
  return undefined;
}

/** What a database holds, for a person who is about to replace it. */
export interface Contents {
  readonly cameras: number;
  readonly events: number;
  readonly newestEventAt: Date | null;
}

/** Returns what the database holds; undefined for one without the tables of homesec. */
export async function contentsOf(sql: Sql): Promise<Contents | undefined> {
  const names = new Set((await tableShapes(sql)).map(({ table }) => table));
  if (!names.has("cameras") || !names.has("events")) return undefined;
  const [row] = await sql<[Contents]>`
    select (select count(*) from cameras) as cameras, count(*) as events, max(e.started_at) as "newestEventAt"
    from events e
  `;
  return row;
}

/** Returns a process whose last heartbeat was within 20 s, by the clock of the database. */
export async function livingProcess(sql: Sql): Promise<{ readonly host: string; readonly pid: number } | undefined> {
  const [row] = await sql<[{ host: string; pid: number }?]>`
    select p.host, p.pid
    from processes p
    where p.heartbeat_at > now() - interval '20 seconds'
    order by p.heartbeat_at desc
    limit 1
  `;
  return row;
}

/** Returns the newest sequence number of the journal. */
export async function journalHead(sql: Sql): Promise<number> {
  const [row] = await sql<[{ head: number | null }]>`select max(h.last_sequence) as head from journal_head h`;
  return row.head ?? 0;
}

/** Raises the next sequence number of the journal above this one. */
export async function raiseJournalHead(sql: Sql, sequence: number): Promise<void> {
  await sql`
    update journal_head h
    set last_sequence = ${sequence}
    where h.last_sequence < ${sequence}
  `;
}
