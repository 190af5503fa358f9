import type { Sql } from "../../platform/database/database.ts";
import { sampleCount, sampleEveryMs } from "../camera-times/clock-offset.ts";

/** The last pictures of a camera that state a time: by how many seconds each is ahead of its arrival. */
export interface ClockSamples {
  readonly cameraId: string;
  readonly aheadSeconds: readonly number[];
  /** The offset that is stored now. */
  readonly offsetSeconds: number | null;
}

/**
 * Returns, for each camera, up to ten live pictures between two times, each at least a minute older than the one before. Walks an index
 * from picture to picture, so that a camera with a picture every second costs no more than others.
 */
export async function clockSamples(sql: Sql, since: Date, until: Date): Promise<readonly ClockSamples[]> {
  // a picture that waited before it was found is no live one; a video has the time of its end, and its name that of its beginning
  const newest = sql`
    select i.taken_at, i.captured_at
    from images i
    where i.camera_id = c.camera_id
      and i.captured_at is not null
      and i.media_type like 'image/%'
      and i.found_at - i.taken_at < interval '1 minute'
      and i.taken_at > greatest(${since}::timestamptz, c.clock_since)
  `;
  return await sql<ClockSamples[]>`
    with recursive samples as (
      select c.camera_id, c.clock_since, s.taken_at, s.captured_at, 1 as n
      from cameras c
      cross join lateral (${newest} and i.taken_at <= ${until} order by i.taken_at desc limit 1) s
      where c.deleted_at is null
      union all
      select c.camera_id, c.clock_since, s.taken_at, s.captured_at, c.n + 1
      from samples c
      cross join lateral (
        ${newest} and i.taken_at <= c.taken_at - ${sampleEveryMs}::float8 * interval '1 millisecond' order by i.taken_at desc limit 1
      ) s
      where c.n < ${sampleCount}
    )
    select c.camera_id as "cameraId", c.clock_offset_seconds as "offsetSeconds",
      array(
        select extract(epoch from s.captured_at - s.taken_at)::float8
        from samples s
        where s.camera_id = c.camera_id
        order by s.n
      ) as "aheadSeconds"
    from cameras c
    where c.deleted_at is null
    order by c.camera_id
  `;
}

/** Stores how far the clock of a camera is ahead; null if that is not known. */
export async function storeClockOffset(sql: Sql, cameraId: string, offsetSeconds: number | null): Promise<void> {
  await sql`
    update cameras c
    set clock_offset_seconds = ${offsetSeconds}
    where c.camera_id = ${cameraId}
  `;
}

/** A camera with the offset of its clock, in seconds. */
export interface CameraClock {
  readonly cameraId: string;
  readonly offsetSeconds: number;
}

/** Returns the cameras whose clocks are known. */
export async function cameraClocks(sql: Sql): Promise<readonly CameraClock[]> {
  return await sql<CameraClock[]>`
    select c.camera_id as "cameraId", c.clock_offset_seconds as "offsetSeconds"
    from cameras c
    where c.deleted_at is null
      and c.clock_offset_seconds is not null
    order by c.camera_id
  `;
}
