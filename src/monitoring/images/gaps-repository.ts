import type { Sql } from "../../platform/database/database.ts";
import type { TimeRange } from "./gaps.ts";

/** A camera with the time of its oldest picture in the ledger; null without any. */
export interface CameraWithLedger {
  readonly cameraId: string;
  readonly name: string;
  readonly recordedSince: Date | null;
}

/** Returns the cameras that are not deleted, in order of id. */
export async function camerasWithLedger(sql: Sql, cameraIds: readonly string[] | undefined): Promise<readonly CameraWithLedger[]> {
  return await sql<CameraWithLedger[]>`
    select c.camera_id as "cameraId", c.name, (
      select i.taken_at
      from images i
      where i.camera_id = c.camera_id
      order by i.taken_at, i.image_id
      limit 1
    ) as "recordedSince"
    from cameras c
    where c.deleted_at is null
      ${cameraIds ? sql`and c.camera_id = any (${[...cameraIds]}::text[])` : sql``}
    order by c.camera_id
  `;
}

/** Counts the pictures of a camera in a range; a second name of a picture does not count. */
export async function countPictures(sql: Sql, cameraId: string, { from, to }: TimeRange): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from images i
    where i.camera_id = ${cameraId}
      and i.taken_at between ${from} and ${to}
      and i.reason is distinct from 'moved'
  `;
  return row.count;
}

/** A time without pictures; `isOver` when a picture came after it. */
export interface Pause {
  readonly from: Date;
  readonly to: Date;
  readonly isOver: boolean;
}

interface PauseCriteria {
  readonly range: TimeRange;
  readonly now: Date;
  /** Shorter pauses are left out. */
  readonly limitMs: number;
}

/**
 * Returns the times between two pictures of a camera, or after the newest one, that are longer than a limit and touch a range. They are
 * measured whole and then cut at the range, so that a night without pictures is found on both days.
 */
export async function pausesBetweenPictures(sql: Sql, cameraId: string, criteria: PauseCriteria): Promise<readonly Pause[]> {
  const { range, now, limitMs } = criteria;
  const ofCamera = sql`i.camera_id = ${cameraId} and i.reason is distinct from 'moved'`;
  return await sql<Pause[]>`
    with pictures as materialized (
      (select i.taken_at from images i where ${ofCamera} and i.taken_at < ${range.from} order by i.taken_at desc, i.image_id desc limit 1)
      union all
      select i.taken_at from images i where ${ofCamera} and i.taken_at between ${range.from} and ${range.to}
      union all
      (select i.taken_at from images i where ${ofCamera} and i.taken_at > ${range.to} order by i.taken_at, i.image_id limit 1)
    ), pauses as (
      select p.taken_at as from_time, lead(p.taken_at) over (order by p.taken_at) as next_time
      from pictures p
    )
    select greatest(p.from_time, ${range.from}) as "from",
      least(coalesce(p.next_time, ${now}), ${range.to}, ${now}) as "to", p.next_time is not null as "isOver"
    from pauses p
    where coalesce(p.next_time, ${now}) - p.from_time > ${limitMs}::float8 * interval '1 millisecond'
      and p.from_time < least(${range.to}::timestamptz, ${now})
      and coalesce(p.next_time, ${now}) > ${range.from}
    order by p.from_time
  `;
}
