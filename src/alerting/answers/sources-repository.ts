import type { Sql } from "../../platform/database/database.ts";

/** Returns where to go on reading; null from the beginning, also if nothing came since a time. */
export async function positionOf(sql: Sql, source: string, since: Date): Promise<string | null> {
  const [row] = await sql<[{ position: string | null }?]>`
    select s.position
    from answer_sources s
    where s.source = ${source}
      and s.moved_at > ${since}
  `;
  return row?.position ?? null;
}

/** Locks a source until the end of the transaction, and returns the same as `positionOf`: another daemon may have read further. */
export async function lockSource(sql: Sql, source: string, since: Date): Promise<string | null> {
  await sql`insert into answer_sources (source) values (${source}) on conflict (source) do nothing`;
  const [row] = await sql<[{ position: string | null }]>`
    select case when s.moved_at > ${since}::timestamptz then s.position end as position
    from answer_sources s
    where s.source = ${source}
    for update
  `;
  return row.position;
}

/** Stores where to go on reading, in the transaction of the effect. Returns the number of answers that were refused so far. */
export async function storePosition(
  sql: Sql,
  source: string,
  position: string,
  { isRefused, now }: { readonly isRefused: boolean; readonly now: Date },
): Promise<number> {
  const [row] = await sql<[{ refused: number }]>`
    update answer_sources s
    set position = ${position}, moved_at = ${now}, refused = s.refused + ${isRefused ? 1 : 0}
    where s.source = ${source}
    returning s.refused::float8 as refused
  `;
  return row.refused;
}

/** Stores why answers cannot be read; null: they can. A fault keeps the time when it began. */
export async function storeFault(sql: Sql, source: string, fault: string | null, now: Date): Promise<void> {
  await sql`
    insert into answer_sources as s (source, fault, failing_since)
    values (${source}, ${fault}, ${fault === null ? null : now})
    on conflict (source) do update
    set fault = excluded.fault,
      failing_since = case when excluded.fault is null then null else coalesce(s.failing_since, excluded.failing_since) end
    where s.fault is distinct from excluded.fault
  `;
}

/** Stops the reader of a source until a time, so that another request of the service gets what arrives; null: it goes on. */
export async function pauseSource(sql: Sql, source: string, until: Date | null): Promise<void> {
  await sql`
    update answer_sources s
    set paused_until = ${until}
    where s.source = ${source}
  `;
}

/** Whether the reader of a source is stopped. A time far ahead is from a wrong clock. */
export async function isPaused(sql: Sql, source: string, now: Date): Promise<boolean> {
  const rows = await sql`
    select
    from answer_sources s
    where s.source = ${source}
      and s.paused_until > ${now}
      and s.paused_until < ${now}::timestamptz + interval '10 minutes'
  `;
  return rows.length > 0;
}

/** Deletes the sources that no channel uses any more. */
export async function keepSources(sql: Sql, used: readonly string[]): Promise<void> {
  await sql`delete from answer_sources s where s.source <> all (${[...used]}::text[])`;
}

/** A source whose answers cannot be read. */
export interface FailingSource {
  readonly source: string;
  readonly fault: string;
  readonly since: Date;
}

/** Lists the sources whose answers could not be read for a minute, by name. */
export async function failingSources(sql: Sql, now: Date): Promise<readonly FailingSource[]> {
  return await sql<FailingSource[]>`
    select s.source, s.fault, s.failing_since as since
    from answer_sources s
    where s.fault is not null
      and s.failing_since <= ${now}::timestamptz - interval '1 minute'
    order by s.source
  `;
}
