import type { Sql } from "../../platform/database/database.ts";

/** Limits the wait for locks until the end of the transaction. */
export async function waitAtMost(sql: Sql, seconds: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${seconds}s`}, true)`;
}

/** An object in the current schema. */
export interface SchemaObject {
  readonly kind: "view" | "materialized view" | "table" | "routine" | "sequence";
  /** Its name as written in a statement. */
  readonly name: string;
}

/** Lists the objects that migrations or other programs made: tables, views, sequences and functions, without those of extensions. */
export async function schemaObjects(sql: Sql): Promise<readonly SchemaObject[]> {
  return await sql<SchemaObject[]>`
    select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end as kind, quote_ident(c.relname) as name
    from pg_class c
    where c.relkind in ('v', 'm', 'r', 'p', 'S')
      and c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    union all
    select 'routine', p.oid::regprocedure::text
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by kind desc
  `;
}

/**
 * Lists objects in other schemas: tables, views, functions, and constraints, columns, defaults and triggers of tables. An object dropped
 * together with one of ours (a view of its rows) is missing from the list afterwards. Temporary tables are left out.
 */
export async function objectsElsewhere(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    with elsewhere as (
      select oid from pg_namespace where oid <> current_schema()::regnamespace and nspname !~ '^pg_' and nspname <> 'information_schema'
    )
    select c.oid::regclass::text as name from pg_class c where c.relkind in ('v', 'm', 'r', 'p', 'f', 'S') and c.relnamespace in (select oid from elsewhere)
    union all
    select p.oid::regprocedure::text from pg_proc p where p.pronamespace in (select oid from elsewhere)
    union all
    select format('%s of %s', quote_ident(k.conname), k.conrelid::regclass)
    from pg_constraint k
    where k.conrelid <> 0 and k.connamespace in (select oid from elsewhere)
    union all
    select format('%s of %s', quote_ident(a.attname), c.oid::regclass)
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f') and c.relnamespace in (select oid from elsewhere)
    union all
    select format('the default of %s of %s', quote_ident(a.attname), c.oid::regclass)
    from pg_attrdef f
    join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum
    join pg_class c on c.oid = f.adrelid
    where c.relnamespace in (select oid from elsewhere)
    union all
    select format('%s of %s', quote_ident(g.tgname), c.oid::regclass)
    from pg_trigger g
    join pg_class c on c.oid = g.tgrelid
    where not g.tgisinternal and c.relnamespace in (select oid from elsewhere)
  `;
  return rows.map(({ name }) => name);
}

/** Drops everything in the current schema except objects of extensions. */
export async function dropEverything(sql: Sql): Promise<void> {
  for (const { kind, name } of await schemaObjects(sql)) await sql.unsafe(`drop ${kind} if exists ${name} cascade`);
}

/** A foreign key, with the statement that creates it again. */
export interface Reference {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Drops the foreign keys of all tables and returns them, so that tables can be filled in any order. */
export async function takeReferences(sql: Sql): Promise<readonly Reference[]> {
  const references = await sql<Reference[]>`
    select t.relname as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c
    join pg_class t on t.oid = c.conrelid
    where c.contype = 'f'
      and c.connamespace = current_schema()::regnamespace
      and c.conparentid = 0
    order by t.relname, c.conname
  `;
  for (const { table, name } of references) await sql`alter table ${sql(table)} drop constraint ${sql(name)}`;
  return references;
}

/** Creates foreign keys again; every row is checked. */
export async function putReferences(sql: Sql, references: readonly Reference[]): Promise<void> {
  for (const { table, name, definition } of references) {
    await sql.unsafe(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`);
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Disables or enables the triggers of a table: their results are restored from the backup. */
export async function switchTriggers(sql: Sql, table: string, on: boolean): Promise<void> {
  if (on) await sql`alter table ${sql(table)} enable trigger user`;
  else await sql`alter table ${sql(table)} disable trigger user`;
}

/** Empties tables that refer to each other in any way. */
export async function emptyTables(sql: Sql, tables: readonly string[]): Promise<void> {
  await sql`truncate table ${sql([...tables])}`;
}

/** Runs ANALYZE on all tables, so that plans are good from the first query on. */
export async function analyzeTables(sql: Sql, tables: readonly string[]): Promise<void> {
  for (const table of tables) await sql`analyze ${sql(table)}`;
}
