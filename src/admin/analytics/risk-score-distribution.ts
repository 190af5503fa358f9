import type { Sql } from "../../platform/database/database.ts";
import { type DayRange, wholeMonths } from "./range.ts";

/** A range of scores, both ends included. */
export interface ScoreBucket {
  readonly min_score: number;
  readonly max_score: number;
  readonly count: number;
}

/**
 * Returns the number of events in each range of `size` scores. There are ceil(100 / size) ranges, and the last one ends at 100, so its
 * size may differ.
 */
export async function riskScoreDistribution(sql: Sql, range: DayRange, size: number): Promise<readonly ScoreBucket[]> {
  const buckets = Math.ceil(100 / size);
  const { first, end } = wholeMonths(range);
  return await sql<ScoreBucket[]>`
    with scores as (
      select s.risk_score, s.count
      from event_score_months s
      where s.month >= ${first}::text::date and s.month < ${end}::text::date
      union all
      select s.risk_score, s.count
      from event_scores s
      where s.day >= ${range.start}::text::date and s.day < ${first}::text::date
      union all
      select s.risk_score, s.count
      from event_scores s
      where s.day >= ${end}::text::date and s.day <= ${range.end}::text::date
      union all
      select c.risk_score, c.count
      from event_changes c
      where c.risk_score is not null
        and day_of(c.hour) between ${range.start}::text::date and ${range.end}::text::date
    ), counted as (
      select least(s.risk_score / ${size}::integer, ${buckets - 1}::integer) as bucket, sum(s.count) as count
      from scores s
      group by 1
    )
    select b.bucket * ${size}::integer as min_score,
      case when b.bucket = ${buckets - 1}::integer then 100 else (b.bucket + 1) * ${size}::integer - 1 end as max_score,
      coalesce(c.count, 0) as count
    from generate_series(0, ${buckets - 1}::integer) b (bucket)
    left join counted c using (bucket)
    order by b.bucket
  `;
}
