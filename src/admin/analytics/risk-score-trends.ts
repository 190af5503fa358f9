import type { Sql } from "../../platform/database/database.ts";
import type { DayRange } from "./range.ts";

export interface DayOfScores {
  readonly date: string;
  /** One decimal; 0 on a day without scored events. */
  readonly avg_score: number;
  readonly count: number;
}

/** Returns the average score per day, for every day of the range. */
export async function riskScoreTrends(sql: Sql, range: DayRange): Promise<readonly DayOfScores[]> {
  return await sql<DayOfScores[]>`
    with counted as (
      select s.day, sum(s.count) as count, sum(s.score_sum) as score_sum
      from events_scored_per_day s
      where s.day between ${range.start}::text::date and ${range.end}::text::date
      group by s.day
    )
    select a.day::text as date, coalesce(round(c.score_sum / nullif(c.count, 0), 1), 0)::float8 as avg_score, coalesce(c.count, 0) as count
    from (select ${range.start}::text::date + n as day from generate_series(0, ${range.days - 1}::integer) n) a
    left join counted c using (day)
    order by a.day
  `;
}
