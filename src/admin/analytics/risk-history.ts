import type { Sql } from "../../platform/database/database.ts";
import type { DayRange } from "./range.ts";

/** Scored events of a day by range: 0-29, 30-59, 60-84, 85-100. The ranges are fixed and differ from the configured risk levels. */
export interface DayOfRisk {
  readonly date: string;
  readonly low: number;
  readonly medium: number;
  readonly high: number;
  readonly critical: number;
}

/** Returns the number of events per range and day, for every day of the range. */
export async function riskHistory(sql: Sql, range: DayRange): Promise<readonly DayOfRisk[]> {
  return await sql<DayOfRisk[]>`
    with counted as (
      select s.day, sum(s.low) as low, sum(s.medium) as medium, sum(s.high) as high, sum(s.critical) as critical
      from events_scored_per_day s
      where s.day between ${range.start}::text::date and ${range.end}::text::date
      group by s.day
    )
    select a.day::text as date, coalesce(c.low, 0) as low, coalesce(c.medium, 0) as medium,
      coalesce(c.high, 0) as high, coalesce(c.critical, 0) as critical
    from (select ${range.start}::text::date + n as day from generate_series(0, ${range.days - 1}::integer) n) a
    left join counted c using (day)
    order by a.day
  `;
}
