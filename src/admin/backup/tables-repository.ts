import type { Sql } from "../../platform/database/database.ts";

/** A table of ours, with the columns that hold data: those that the database makes from others are left out. */
export interface TableShape {
  readonly table: string;
  readonly columns: readonly string[];
}

/** All tables of the schema in use, by name; those of extensions are not ours. */
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

/** About how many rows these tables have; 0 as long as nothing is known of them. */
export async function estimatedRows(sql: Sql, tables: readonly string[]): Promise<number> {
  const [row] = await sql<[{ rows: number }]>`
    select coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as rows
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relname = any (${[...tables]}::text[])
  `;
  return row.rows;
}

/** Everything after this in the transaction sees the database as it is now. Has to be the first statement of a transaction. */
export async function takeSnapshot(sql: Sql): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`;
}

/** Keeps tables from being changed in shape or emptied as a whole until the transaction ends; rows come and go as before. */
export async function holdTables(sql: Sql, tables: readonly string[]): Promise<void> {
  if (tables.length > 0) await sql`lock table ${sql([...tables])} in access share mode`;
}

/** The rows of a table, for `copyOut`. */
export function copyTableOut(sql: Sql, { table, columns }: TableShape) {
  return sql`copy ${sql(table)} (${sql([...columns])}) to stdout`;
}

/** Takes rows into a table, for `copyIn`. */
export function copyTableIn(sql: Sql, { table, columns }: TableShape) {
  return sql`copy ${sql(table)} (${sql([...columns])}) from stdin`;
}

/** The number by which another connection can cancel what this one does. */
export async function backendOf(sql: Sql): Promise<number> {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  return row.pid;
}

/** Cancels what a connection does at the moment. */
export async function cancelBackend(sql: Sql, pid: number): Promise<void> {
  await sql`select pg_cancel_backend(${pid})`;
}

/** Where the numbering of an identity column stands. */
export interface SequenceState {
  readonly table: string;
  readonly column: string;
  readonly last_value: string;
  readonly is_called: boolean;
}

/** The identity columns of the schema in use. */
export async function identityColumns(sql: Sql): Promise<readonly { readonly table: string; readonly column: string }[]> {
  return await sql<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relnamespace = current_schema()::regnamespace
    where a.attidentity <> '' and not a.attisdropped
    order by c.relname, a.attnum
  `;
}

/** The state of the sequence behind an identity column. Sequences know no snapshots: it is that of this moment. */
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

/** Makes an identity column go on where it stood, and in any case after the highest number in the table. */
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

/** The first of these tables that has a row. */
export async function firstWithRows(sql: Sql, tables: readonly string[]): Promise<string | undefined> {
  for (const table of tables) {
    const [row] = await sql<[{ present: boolean }]>`select exists (select from ${sql(table)}) as present`;
    if (row.present) return table;
  }
  return undefined;
}

/** A process that has given a sign of life in the last 20 s, by the clock of the database. */
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

/** The newest sequence that was given in the journal. */
export async function journalHead(sql: Sql): Promise<number> {
  const [row] = await sql<[{ head: number | null }]>`select max(h.last_sequence) as head from journal_head h`;
  return row.head ?? 0;
}

/** Has the journal go on after a sequence that is higher than its own. */
export async function raiseJournalHead(sql: Sql, sequence: number): Promise<void> {
  await sql`
    update journal_head h
    set last_sequence = ${sequence}
    where h.last_sequence < ${sequence}
  `;
}
