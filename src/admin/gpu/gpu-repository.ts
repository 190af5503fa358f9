import type { Sql } from "../../platform/database/database.ts";
import { type GpuStats, gpuNumbers } from "./gpu.ts";

/** Stores a sample of the card. A second sample at the same time is ignored. */
export async function insertGpuStats(sql: Sql, at: Date, stats: Omit<GpuStats, "recorded_at">): Promise<void> {
  const row = { ...stats, recorded_at: at.toISOString(), throttle_reasons: stats.throttle_reasons ?? [] };
  // The fields of the record are the columns of the table.
  await sql`
    insert into gpu_stats
    select n.*
    from jsonb_populate_record(null::gpu_stats, ${JSON.stringify(row)}::text::jsonb) n
    on conflict (recorded_at) do nothing
  `;
}

const columns = (sql: Sql) => sql(["recorded_at", "gpu_name", "pstate", "throttle_reasons", ...gpuNumbers]);

/** Returns the newest sample since `since`, or undefined. */
export async function latestGpuStats(sql: Sql, since: Date): Promise<GpuStats | undefined> {
  const [row] = await sql<[GpuStats?]>`
    select ${columns(sql)}
    from gpu_stats
    where recorded_at >= ${since}
    order by recorded_at desc
    limit 1
  `;
  return row;
}

/**
 * Returns the samples since `since`, averaged over intervals of this many seconds, oldest first; intervals without a sample are left out.
 * Name and state come from the newest sample of an interval, reasons from all.
 */
export async function gpuHistory(sql: Sql, since: Date, intervalSeconds: number): Promise<readonly GpuStats[]> {
  const averages = gpuNumbers.map((name) => sql`, round(avg(g.${sql(name)})::numeric, 2)::float8 as ${sql(name)}`);
  // One pass without a join: if the planner believes the table to be empty, a join of two aggregates would run row by row.
  return await sql<GpuStats[]>`
    with bins as (
      select
        date_bin(${intervalSeconds} * interval '1 second', g.recorded_at, timestamptz '2000-01-01T00:00:00Z') as bin,
        (array_agg(g.gpu_name order by g.recorded_at desc))[1] as gpu_name,
        (array_agg(g.pstate order by g.recorded_at desc))[1] as pstate,
        array_agg(distinct g.throttle_reasons::text) as reasons
        ${averages}
      from gpu_stats g
      where g.recorded_at >= ${since}
      group by bin
    )
    select
      b.bin as recorded_at, b.gpu_name, b.pstate,
      array(
        select distinct r.reason
        from unnest(b.reasons) as l (list)
        cross join unnest(l.list::text[]) as r (reason)
        order by r.reason
      ) as throttle_reasons
      ${gpuNumbers.map((name) => sql`, b.${sql(name)}`)}
    from bins b
    order by b.bin
  `;
}

/** Counts the stored samples. */
export async function countGpuStats(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*) as count from gpu_stats`;
  return row.count;
}

/** Counts the samples older than `before`. */
export async function countGpuStatsBefore(sql: Sql, before: Date): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from gpu_stats g
    where g.recorded_at < ${before}
  `;
  return row.count;
}

/** Deletes at most `limit` samples older than `before`, and returns how many. */
export async function deleteGpuStatsBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from gpu_stats g
    where g.recorded_at = any (array(
      select o.recorded_at
      from gpu_stats o
      where o.recorded_at < ${before}
      order by o.recorded_at
      limit ${limit}
    ))
  `;
  return gone.count;
}
