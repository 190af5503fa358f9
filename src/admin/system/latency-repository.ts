import type { Sql, SqlFragment } from "../../platform/database/database.ts";

/** Statistics of durations, in milliseconds. */
export interface LatencyFigures {
  readonly avg_ms: number;
  readonly min_ms: number;
  readonly max_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly sample_count: number;
}

/** Maximum number of samples: the newest of the window. An index finds them, so that the cost is bounded. */
const maxSamples = 5_000;
/** Maximum number of samples that each need a lookup. */
const maxSearches = 500;

/** Duration of the detector's analysis of a picture. */
export function detectLatency(sql: Sql, since: Date): Promise<LatencyFigures | null> {
  return figuresOf(sql, newestImages(sql, since, sql`i.finished_at - i.started_at`, sql`i.status = 'processed'`));
}

/** Time from the first sign of a live picture to its ledger entry. */
export function watchLatency(sql: Sql, since: Date): Promise<LatencyFigures | null> {
  return figuresOf(sql, newestImages(sql, since, sql`i.found_at - i.taken_at`, sql`i.found_by = 'watch'`));
}

/** Time from a picture's ledger entry to its stored detections. */
export function watchToDetectLatency(sql: Sql, since: Date): Promise<LatencyFigures | null> {
  return figuresOf(sql, newestImages(sql, since, sql`i.finished_at - i.found_at`, sql`i.status = 'processed'`));
}

/** `duration` of the newest processed images that meet the condition. */
const newestImages = (sql: Sql, since: Date, duration: SqlFragment, condition: SqlFragment) => sql`
  select ${duration} as duration
  from images i
  where i.started_at is not null
    and ${condition}
    and i.finished_at >= ${since}
  order by i.finished_at desc
  limit ${maxSamples}
`;

/** Time from a batch's first stored detection to its end. */
export function batchLatency(sql: Sql, since: Date): Promise<LatencyFigures | null> {
  return figuresOf(
    sql,
    sql`
      select b.closed_at - b.opened_at as duration
      from batches b
      where b.status = 'closed'
        and b.closed_at >= ${since}
      order by b.closed_at desc
      limit ${maxSamples}
    `,
  );
}

/** Duration of the language model's analysis of an event. */
export function analyzeLatency(sql: Sql, since: Date): Promise<LatencyFigures | null> {
  return figuresOf(
    sql,
    sql`
      select a.finished_at - a.started_at as duration
      from analysis_attempts a
      where a.outcome = 'completed'
        and a.finished_at >= ${since}
      order by a.finished_at desc
      limit ${maxSamples}
    `,
  );
}

/** Time from an event's creation to its first analysis. */
export function batchToAnalyzeLatency(sql: Sql, since: Date): Promise<LatencyFigures | null> {
  return figuresOf(
    sql,
    sql`
      select f.finished_at - e.created_at as duration
      from (${firstJudgements(sql, since, maxSamples)}) f
      join events e on e.event_id = f.event_id
    `,
  );
}

/** Time from the ledger entry of an event's first picture to the event's first analysis. */
export function totalLatency(sql: Sql, since: Date): Promise<LatencyFigures | null> {
  return figuresOf(
    sql,
    sql`
      select f.finished_at - p.found_at as duration
      from (${firstJudgements(sql, since, maxSearches)}) f
      cross join lateral (
        select min(i.found_at) as found_at
        from detections d
        join images i on i.image_id = d.image_id
        where d.event_id = f.event_id
      ) p
      where p.found_at is not null
    `,
  );
}

/** The newest first analyses of events; repeated analyses are left out. */
const firstJudgements = (sql: Sql, since: Date, limit: number) => sql`
  select a.event_id, a.finished_at
  from analysis_attempts a
  where a.outcome = 'completed'
    and a.finished_at >= ${since}
    and not exists (
      select 1
      from analysis_attempts b
      where b.event_id = a.event_id
        and b.attempt < a.attempt
        and b.outcome = 'completed'
    )
  order by a.finished_at desc
  limit ${limit}
`;

async function figuresOf(sql: Sql, durations: SqlFragment): Promise<LatencyFigures | null> {
  const [row] = await sql<[LatencyFigures & { readonly avg_ms: number | null }]>`
    with samples as (
      -- a clock that was set back would make durations negative
      select greatest(extract(epoch from d.duration), 0)::float8 * 1000 as ms
      from (${durations}) d
    ),
    figures as (
      select avg(s.ms) as avg, min(s.ms) as min, max(s.ms) as max, count(*) as samples,
        percentile_cont(array[0.5, 0.95, 0.99]) within group (order by s.ms) as p
      from samples s
    )
    select round(f.avg::numeric, 2)::float8 as avg_ms, round(f.min::numeric, 2)::float8 as min_ms, round(f.max::numeric, 2)::float8 as max_ms,
      round(f.p[1]::numeric, 2)::float8 as p50_ms, round(f.p[2]::numeric, 2)::float8 as p95_ms, round(f.p[3]::numeric, 2)::float8 as p99_ms,
      f.samples as sample_count
    from figures f
  `;
  return row.sample_count === 0 ? null : row;
}
