import { splitAtDays } from "../../base/clock/calendar.ts";
import { dayMs } from "../../base/clock/clock.ts";
import type { statisticsRoutes } from "../../contract/routes/statistics.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Operations } from "../../work/operations/operation.ts";

const trendDays = 30;
/** The first day that PostgreSQL accepts. */
const firstOfDays = Date.parse("0001-01-01") / dayMs;

/** Selects the detections to count; a time range includes both ends. */
interface CountedDetections {
  readonly cameraIds: readonly string[] | undefined;
  readonly objectTypes: readonly string[] | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** The use cases that count detections. */
export const detectionStatisticsOperations: Pick<Operations, keyof typeof statisticsRoutes & `${string}Detection${string}`> = {
  getDetectionStats: async ({ query }, { db, clock }) => {
    const { start_date: from, end_date: to } = query;
    const days = trendDaysOf(from, to ?? clock.now());
    const { classes, perDay } = await db.query((sql) =>
      countByClassAndDay(sql, { cameraIds: query.camera_id, objectTypes: query.object_type, from, to }, days[0]),
    );
    const total = classes.reduce((sum, { count }) => sum + count, 0);
    const confidence = classes.reduce((sum, { confidence_millionths }) => sum + confidence_millionths, 0) / 1_000_000;
    return {
      total_detections: total,
      detections_by_class: Object.fromEntries(classes.map(({ object_type, count }) => [object_type, count])),
      object_class_distribution: classes.map(({ object_type, count }) => ({ object_class: object_type, count })),
      average_confidence: total === 0 ? null : Math.round((confidence / total) * 10_000) / 10_000,
      trends: days.map((day) => ({ timestamp: new Date(day), detection_count: perDay.get(dayText(day)) ?? 0 })),
    };
  },

  listDetectionLabels: async (_request, { db }) => ({ labels: [...(await db.query(countLabels))] }),
};

/** Returns the midnights of the last days of a range, oldest first, in milliseconds since 1970. */
function trendDaysOf(from: Date | undefined, to: Date): readonly number[] {
  const last = Math.floor(to.getTime() / dayMs);
  const first = Math.max(last - trendDays + 1, from ? Math.floor(from.getTime() / dayMs) : firstOfDays);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, n) => (first + n) * dayMs);
}

interface ClassCount {
  readonly object_type: string;
  readonly count: number;
  readonly confidence_millionths: number;
}

/**
 * Counts detections by class, most frequent first, and by day from `firstDay` on: whole days from their roll-up, the rest from the rows.
 */
async function countByClassAndDay(
  sql: Sql,
  { cameraIds, objectTypes, from, to }: CountedDetections,
  firstDay: number | undefined,
): Promise<{ readonly classes: readonly ClassCount[]; readonly perDay: ReadonlyMap<string, number> }> {
  const { first, end, rest } = splitAtDays(from, to);
  const rows = await sql<(Omit<ClassCount, "object_type"> & { object_type: string | null; day: string | null })[]>`
    with counted as (
      select d.day, d.camera_id, d.object_type, d.count, d.confidence_millionths
      from detections_per_day d
      where d.day >= ${first}::text::date and d.day < ${end}::text::date
      union all
      select (d.detected_at at time zone 'utc')::date, d.camera_id, d.object_type, 1, round(d.confidence * 1000000)::bigint
      from unnest(
        ${rest.map((piece) => piece.from.toISOString())}::text[]::timestamptz[],
        ${rest.map((piece) => piece.to.toISOString())}::text[]::timestamptz[]
      ) r (from_time, to_time)
      cross join lateral (
        select d.detected_at, d.camera_id, d.object_type, d.confidence
        from detections d
        where d.detected_at >= r.from_time
          and d.detected_at < r.to_time + interval '1 millisecond'
        -- kept a look-up for each piece: they are few, or none
        offset 0
      ) d
    ), asked as (
      select c.object_type, case when c.day >= ${firstDay === undefined ? "infinity" : dayText(firstDay)}::text::date then c.day end as day,
        c.count, c.confidence_millionths
      from counted c
      where true
        ${cameraIds ? sql`and c.camera_id = any (${[...cameraIds]}::text[])` : sql``}
        ${objectTypes ? sql`and c.object_type = any (${[...objectTypes]}::text[])` : sql``}
    )
    select a.object_type, a.day::text as day, sum(a.count) as count, sum(a.confidence_millionths)::bigint as confidence_millionths
    from asked a
    group by grouping sets ((a.object_type), (a.day))
    having sum(a.count) > 0
    order by count desc, a.object_type
  `;
  return {
    classes: rows.flatMap(({ day: _, object_type, ...counts }) => (object_type === null ? [] : [{ object_type, ...counts }])),
    perDay: new Map(rows.flatMap(({ day, count }) => (day === null ? [] : [[day, count] as const]))),
  };
}

/** Counts the detections of each class, most frequent first. */
async function countLabels(sql: Sql): Promise<readonly { readonly label: string; readonly count: number }[]> {
  return await sql<{ label: string; count: number }[]>`
    select d.object_type as label, sum(d.count) as count
    from detection_types_per_day d
    group by d.object_type
    having sum(d.count) > 0
    order by sum(d.count) desc, d.object_type
  `;
}

function dayText(midnight: number): string {
  return new Date(midnight).toISOString().slice(0, 10);
}
