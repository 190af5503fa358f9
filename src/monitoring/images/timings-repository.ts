import type { Sql } from "../../platform/database/database.ts";

/** Returns the detector's mean time per picture since `since`, in milliseconds, from at most 10,000 pictures; null if there are none. */
export async function meanInferenceMs(sql: Sql, since: Date): Promise<number | null> {
  const [row] = await sql<[{ mean: number | null }]>`
    select avg(n.inference_ms) as mean
    from (
      select i.inference_ms
      from images i
      where i.started_at is not null
        and i.finished_at >= ${since}
        -- that of a video is the sum of all its frames
        and coalesce(i.media_type, '') not like 'video/%'
      order by i.finished_at desc
      limit 10000
    ) n
  `;
  return row.mean;
}
