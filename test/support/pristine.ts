import { z } from "zod";
import type { Sql } from "../../src/platform/database/database.ts";
import { emptyTables } from "./empty-tables.ts";

/** A freshly migrated database: a checksum of its structure, and the rows of its migrations as JSON. */
export interface Template {
  readonly shape: string;
  readonly rows: readonly { readonly table: string; readonly rows: string }[];
}

/** A larger database is not worth emptying, and would slow the next test down. */
const largestMb = 64;

/** Returns the template of this database. */
export async function templateOf(sql: Sql): Promise<Template> {
  const rows: { table: string; rows: string }[] = [];
  for (const table of await tables(sql)) {
    const [found] = await sql.unsafe<[{ rows: string | null }]>(`select json_agg(t)::text as rows from ${table} t`);
    if (found.rows !== null) rows.push({ table, rows: found.rows });
  }
  return { shape: await shapeOf(sql), rows };
}

/** Empties a database to the state of the template; false if its structure differs or it has grown large. */
export async function pristine(sql: Sql, template: Template): Promise<boolean> {
  const [{ mb }] = await sql<[{ mb: number }]>`select pg_database_size(current_database()) / 1048576 as mb`;
  if (mb > largestMb || (await shapeOf(sql)) !== template.shape) return false;
  await emptyTables(sql, (await tables(sql)).join(","));
  for (const { table, rows } of template.rows) {
    await sql.unsafe(`insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::text::json)`, [
      rows,
    ]);
  }
  return true;
}

async function tables(sql: Sql): Promise<readonly string[]> {
  const rows = await sql`
    select c.relname as name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname
  `;
  return z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map(({ name }) => name);
}

/** Returns a checksum of tables, columns, triggers, constraints, functions and settings. */
async function shapeOf(sql: Sql): Promise<string> {
  const [{ shape }] = await sql<[{ shape: string }]>`
    select md5(string_agg(p.part, '|' order by p.part)) as shape
    from (
      select concat_ws(' ', n.nspname, c.relname, c.relkind, c.reloptions::text) as part
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      union all
      select concat_ws(' ', a.attrelid::regclass, a.attname, a.atttypid, a.attnotnull, a.attidentity, a.attisdropped)
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', t.tgrelid::regclass, t.tgname, t.tgenabled, t.tgfoid)
      from pg_trigger t
      where not t.tgisinternal
      union all
      select concat_ws(' ', k.conrelid::regclass, k.conname, k.convalidated)
      from pg_constraint k
      where k.connamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', f.proname, md5(f.prosrc))
      from pg_proc f
      where f.pronamespace = 'public'::regnamespace
      union all
      select s.setconfig::text
      from pg_db_role_setting s
      join pg_database d on d.oid = s.setdatabase
      where d.datname = current_database()
    ) p
  `;
  return shape;
}
