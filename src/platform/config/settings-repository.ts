import type { Sql } from "../database/database.ts";

/** A value changed at run time, with the name of its variable. The value is unparsed JSON from the database. */
export interface SettingRow {
  readonly key: string;
  readonly value: unknown;
}

/** Returns all values that were changed at run time. */
export async function readSettings(sql: Sql): Promise<readonly SettingRow[]> {
  return await sql<SettingRow[]>`
    select s.key, s.value
    from settings s
    order by s.key
  `;
}

/** Blocks other writers until the transaction ends, so that reading, checking and writing are one step. Readers are not blocked. */
export async function lockSettings(sql: Sql): Promise<void> {
  await sql`lock table settings in share row exclusive mode`;
}

/** Deletes changed values in the caller's transaction and notifies every process after the commit. */
export async function forgetSettings(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql`
    delete from settings s
    where s.key = any (${[...keys]}::text[])
  `;
  await sql`select pg_notify('homesec_settings', '')`;
}

/** Stores values in the caller's transaction and notifies every process after the commit. */
export async function writeSettings(sql: Sql, rows: readonly SettingRow[], now: Date): Promise<void> {
  await sql`
    insert into settings (key, value, updated_at)
    select n.key, n.value::jsonb, ${now}
    from unnest(
      ${rows.map((row) => row.key)}::text[],
      ${rows.map((row) => JSON.stringify(row.value))}::text[]
    ) as n (key, value)
    on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at
  `;
  await sql`select pg_notify('homesec_settings', '')`;
}
