import type { Sql } from "../../platform/database/database.ts";
import type { HourBaseline, Learned } from "./statistics.ts";

/** Detections of a class at a camera. */
export interface ClassCount {
  readonly cameraId: string;
  readonly objectClass: string;
  readonly count: number;
}

/** Counts a camera's detections from `start` (inclusive) to `end` (exclusive), by class. */
export async function countHour(sql: Sql, cameraId: string, start: Date, end: Date): Promise<readonly ClassCount[]> {
  return await sql<ClassCount[]>`
    select d.camera_id as "cameraId", d.object_type as "objectClass", count(*) as count
    from detections d
    where d.camera_id = ${cameraId}
      and d.detected_at >= ${start}
      and d.detected_at < ${end}
    group by d.camera_id, d.object_type
  `;
}

/** Counts the detections from `start` (inclusive) to `end` (exclusive) of each live camera that has a baseline. */
export async function countRunningHour(sql: Sql, start: Date, end: Date): Promise<readonly ClassCount[]> {
  return await sql<ClassCount[]>`
    select d.camera_id as "cameraId", d.object_type as "objectClass", count(*) as count
    from detections d
    join cameras c on c.camera_id = d.camera_id and c.deleted_at is null
    where d.detected_at >= ${start}
      and d.detected_at < ${end}
      and exists (select from activity_baselines b where b.camera_id = d.camera_id)
    group by d.camera_id, d.object_type
    order by d.camera_id
  `;
}

/** Tells whether the camera exists and is not deleted. */
export async function isLive(sql: Sql, cameraId: string): Promise<boolean> {
  const rows = await sql`
    select 1
    from cameras c
    where c.camera_id = ${cameraId}
      and c.deleted_at is null
  `;
  return rows.length > 0;
}

/** Tells whether an hour was learned already: the clock may have been set back. */
export async function wasLearned(sql: Sql, cameraId: string, start: Date): Promise<boolean> {
  const rows = await sql`
    select 1
    from activity_baselines b
    where b.camera_id = ${cameraId}
      and b.last_hour = ${start}
  `;
  return rows.length > 0;
}

type Place = Pick<HourBaseline, "dayOfWeek" | "hour">;

/** Stores the baseline of an hour of the week, whose last instance began at `start`. */
export async function storeActivity(sql: Sql, cameraId: string, place: Place, known: Learned, start: Date, now: Date): Promise<void> {
  await sql`
    insert into activity_baselines (camera_id, day_of_week, hour, avg_count, variance, sample_count, last_hour, updated_at)
    values (${cameraId}, ${place.dayOfWeek}, ${place.hour}, ${known.mean}, ${known.variance}, ${known.samples}, ${start}, ${now})
    on conflict (camera_id, day_of_week, hour) do update
    set avg_count = excluded.avg_count, variance = excluded.variance, sample_count = excluded.sample_count,
      last_hour = excluded.last_hour, updated_at = excluded.updated_at
  `;
}

/** The same for classes. */
export async function storeClasses(
  sql: Sql,
  cameraId: string,
  place: Place,
  known: readonly (Learned & { readonly objectClass: string })[],
  now: Date,
): Promise<void> {
  if (known.length === 0) return;
  await sql`
    insert into class_baselines (camera_id, object_class, day_of_week, hour, avg_count, variance, sample_count, updated_at)
    select ${cameraId}, k.object_class, ${place.dayOfWeek}::smallint, ${place.hour}::smallint, k.mean, k.variance, k.samples, ${now}::timestamptz
    from unnest(
      ${known.map(({ objectClass }) => objectClass)}::text[],
      ${known.map(({ mean }) => mean)}::float8[],
      ${known.map(({ variance }) => variance)}::float8[],
      ${known.map(({ samples }) => samples)}::bigint[]
    ) as k (object_class, mean, variance, samples)
    on conflict (camera_id, object_class, day_of_week, hour) do update
    set avg_count = excluded.avg_count, variance = excluded.variance, sample_count = excluded.sample_count, updated_at = excluded.updated_at
  `;
}

/** Deletes hours of the week that were not learned since: of all cameras, or one hour of one camera. Returns how many there were. */
export async function deleteHoursBefore(
  sql: Sql,
  before: Date,
  only?: { readonly cameraId: string; readonly dayOfWeek: number; readonly hour: number },
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    with gone as (
      delete from activity_baselines b
      where b.last_hour < ${before}
        ${only ? sql`and b.camera_id = ${only.cameraId} and b.day_of_week = ${only.dayOfWeek} and b.hour = ${only.hour}` : sql``}
      returning b.camera_id, b.day_of_week, b.hour
    ), classes as (
      delete from class_baselines c
      using gone g
      where c.camera_id = g.camera_id
        and c.day_of_week = g.day_of_week
        and c.hour = g.hour
    )
    select count(*) as count from gone
  `;
  return row.count;
}
