import type { Sql } from "../../platform/database/database.ts";
import type { DayRange } from "./range.ts";

/** Returns the number of detections per day, for every day of the range. */
export async function detectionTrends(sql: Sql, range: DayRange): Promise<readonly { readonly date: string; readonly count: number }[]> {
  return await sql<{ date: string; count: number }[]>`
    with counted as (
      select d.day, sum(d.count) as count
      from detection_types_per_day d
      where d.day between ${range.start}::text::date and ${range.end}::text::date
      group by d.day
    )
    select a.day::text as date, coalesce(c.count, 0) as count
    from (select ${range.start}::text::date + n as day from generate_series(0, ${range.days - 1}::integer) n) a
    left join counted c using (day)
    order by a.day
  `;
}

export interface ObjectTypeShare {
  readonly object_type: string;
  readonly count: number;
  /** Percentage of the detections of all classes. */
  readonly percentage: number;
}

/** Returns number and share of the detections of each class, most frequent first. */
export async function objectDistribution(
  sql: Sql,
  range: DayRange,
): Promise<{ readonly object_types: ObjectTypeShare[]; readonly total_detections: number }> {
  const rows = await sql<{ object_type: string; count: number }[]>`
    select d.object_type, sum(d.count) as count
    from detection_types_per_day d
    where d.day between ${range.start}::text::date and ${range.end}::text::date
    group by d.object_type
    having sum(d.count) > 0
    order by sum(d.count) desc, d.object_type
  `;
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  return { object_types: rows.map((row) => ({ ...row, percentage: (row.count / total) * 100 })), total_detections: total };
}
