import { hourMs } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Timeline } from "./timeline-buckets.ts";

export interface TimelineBucket {
  readonly timestamp: Date;
  readonly event_count: number;
  readonly max_risk_score: number | null;
}

/**
 * Counts the events of each bucket by their start, and finds their highest score; deleted events do not count. Whole hours come from
 * their roll-up; hours that a bucket cuts, or whose roll-up is behind, from the rows.
 */
export async function summarizeTimeline(sql: Sql, timeline: Timeline, cameraIds: readonly string[] | undefined): Promise<TimelineBucket[]> {
  const { from, until, starts } = timeline;
  const edges = [from, ...starts.slice(1), until].filter((edge) => edge % hourMs !== 0);
  const cutHours = [...new Set(edges.map((edge) => Math.floor(edge / hourMs) * hourMs))];
  const startTexts = timesOf(starts);
  const cutTexts = timesOf(cutHours);
  const cameras = cameraIds ? [...cameraIds] : null;
  const rows = await sql<{ bucket: number; event_count: number; max_risk_score: number | null }[]>`
    with asked as materialized (
      select ${timeOf(from)}::timestamptz as from_time, ${timeOf(until)}::timestamptz as until_time,
        ${startTexts}::text[]::timestamptz[] as starts, ${cutTexts}::text[]::timestamptz[] as cut_hours
    ), behind as materialized (
      select distinct c.camera_id, c.hour
      from event_changes c, asked a
      where c.hour >= a.from_time and c.hour < a.until_time
        and c.hour <> all (a.cut_hours)
        ${cameras ? sql`and c.camera_id = any (${cameras}::text[])` : sql``}
    ), counted as (
      select width_bucket(h.hour, a.starts) as bucket, h.count, h.max_risk_score
      from asked a, (
        select h.hour, sum(h.count) as count, max(h.max_risk_score) as max_risk_score
        from event_hours h
        where h.hour >= ${timeOf(from)}::timestamptz and h.hour < ${timeOf(until)}::timestamptz
          and not exists (select from behind b where b.camera_id = h.camera_id and b.hour = h.hour)
          ${cameras ? sql`and h.camera_id = any (${cameras}::text[])` : sql``}
        group by h.hour
      ) h
      where h.hour <> all (a.cut_hours)
      union all
      select width_bucket(e.started_at, a.starts), 1, e.risk_score
      from asked a
      cross join unnest(a.cut_hours) u (hour)
      cross join lateral (
        select e.started_at, e.risk_score
        from events e
        where e.deleted_at is null
          and e.kind = 'event'
          and e.started_at >= greatest(u.hour, a.from_time)
          and e.started_at < least(u.hour + interval '1 hour', a.until_time)
          ${cameras ? sql`and e.camera_id = any (${cameras}::text[])` : sql``}
        -- kept a look-up for each hour
        offset 0
      ) e
      union all
      select width_bucket(e.started_at, a.starts), 1, e.risk_score
      from asked a, behind b
      cross join lateral (
        select e.started_at, e.risk_score
        from events e
        where e.deleted_at is null
          and e.kind = 'event'
          and e.camera_id = b.camera_id
          and e.started_at >= b.hour
          and e.started_at < b.hour + interval '1 hour'
        offset 0
      ) e
    )
    select c.bucket, sum(c.count)::bigint as event_count, max(c.max_risk_score) as max_risk_score
    from counted c
    group by c.bucket
  `;
  const found = new Map(rows.map(({ bucket, ...counts }) => [bucket, counts]));
  return starts.map((start, index) => ({
    timestamp: new Date(start),
    ...(found.get(index + 1) ?? { event_count: 0, max_risk_score: null }),
  }));
}

function timesOf(instants: readonly number[]): string[] {
  return instants.map(timeOf);
}

function timeOf(instant: number): string {
  return new Date(instant).toISOString();
}
