import { splitAtDays } from "../../base/clock/calendar.ts";
import { riskLevels } from "../../contract/constants.ts";
import type { statisticsRoutes } from "../../contract/routes/statistics.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { summarizeTimeline } from "./timeline.ts";
import { cutTimeline } from "./timeline-buckets.ts";

/** Selects the events to count; a range of start times includes both ends. */
interface CountedEvents {
  readonly cameraIds: readonly string[] | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

interface EventCount {
  readonly camera_id: string;
  readonly camera_name: string;
  /** A risk level, or `unscored`. */
  readonly risk_level: string;
  readonly count: number;
}

/** The use cases that count events. */
export const eventStatisticsOperations: Pick<Operations, keyof typeof statisticsRoutes & `getEvent${string}`> = {
  getEventStats: async ({ query }, { db }) => {
    const counts = await db.query((sql) =>
      countEventsByLevel(sql, { cameraIds: query.camera_id, from: query.start_date, to: query.end_date }),
    );
    const sumOf = (matches: (count: EventCount) => boolean) => counts.filter(matches).reduce((sum, { count }) => sum + count, 0);
    const risk_distribution = riskLevels.map((risk_level) => ({ risk_level, count: sumOf((count) => count.risk_level === risk_level) }));
    const [low, medium, high, critical] = risk_distribution.map(({ count }) => count) as [number, number, number, number];
    const cameras = new Map(counts.map(({ camera_id, camera_name }) => [camera_id, camera_name]));
    return {
      total_events: sumOf(() => true),
      events_by_risk_level: { low, medium, high, critical },
      risk_distribution,
      events_by_camera: [...cameras]
        .map(([camera_id, camera_name]) => ({ camera_id, camera_name, event_count: sumOf((count) => count.camera_id === camera_id) }))
        .sort((a, b) => b.event_count - a.event_count || (a.camera_id < b.camera_id ? -1 : 1)),
      unscored_events: sumOf((count) => count.risk_level === "unscored"),
    };
  },

  getEventTimeline: async ({ query }, { db }) => {
    const { start_date: start, end_date: end, bucket_size: size, timezone: timeZone } = query;
    const timeline = cutTimeline({ start, end, size, timeZone });
    const buckets = await db.query((sql) => summarizeTimeline(sql, timeline, query.camera_id));
    return { buckets, total_events: buckets.reduce((sum, bucket) => sum + bucket.event_count, 0) };
  },
};

/** Counts the events of each camera and level that are not deleted: whole days from their roll-up, the rest from the rows. */
async function countEventsByLevel(sql: Sql, { cameraIds, from, to }: CountedEvents): Promise<readonly EventCount[]> {
  const { first, end, rest } = splitAtDays(from, to);
  const cameras = cameraIds ? [...cameraIds] : null;
  return await sql<EventCount[]>`
    with counted as (
      select d.camera_id, d.risk_level, d.count
      from events_per_day d
      where d.day >= ${first}::text::date and d.day < ${end}::text::date
      union all
      select e.camera_id, coalesce(e.risk_level, 'unscored'), 1
      from unnest(
        ${rest.map((piece) => piece.from.toISOString())}::text[]::timestamptz[],
        ${rest.map((piece) => piece.to.toISOString())}::text[]::timestamptz[]
      ) r (from_time, to_time)
      cross join lateral (
        select e.camera_id, e.risk_level
        from events e
        where e.deleted_at is null
          and e.kind = 'event'
          and e.started_at >= r.from_time
          and e.started_at < r.to_time + interval '1 millisecond'
        -- kept a look-up for each piece: they are few, or none
        offset 0
      ) e
    ), summed as (
      select n.camera_id, n.risk_level, sum(n.count) as count
      from counted n
      where true ${cameras ? sql`and n.camera_id = any (${cameras}::text[])` : sql``}
      group by n.camera_id, n.risk_level
      having sum(n.count) > 0
    )
    select s.camera_id, c.name as camera_name, s.risk_level, s.count
    from summed s
    join cameras c on c.camera_id = s.camera_id
  `;
}
