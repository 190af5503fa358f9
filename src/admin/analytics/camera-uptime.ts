import type { Sql } from "../../platform/database/database.ts";
import type { DayRange } from "./range.ts";

export interface CameraUptime {
  readonly camera_id: string;
  readonly camera_name: string;
  /** Days with at least one detection, as a percentage of all days of the range. */
  readonly uptime_percentage: number;
  readonly detection_count: number;
}

/** Returns on what share of days each camera detected something. Every camera that is not deleted is listed. */
export async function cameraUptime(sql: Sql, range: DayRange): Promise<readonly CameraUptime[]> {
  const rows = await sql<(Omit<CameraUptime, "uptime_percentage"> & { days: number })[]>`
    with days as (
      select d.camera_id, d.day, sum(d.count) as count
      from detection_cameras_per_day d
      where d.day between ${range.start}::text::date and ${range.end}::text::date
      group by d.camera_id, d.day
    ), counted as (
      select d.camera_id, count(*) filter (where d.count > 0) as days, sum(d.count)::bigint as count
      from days d
      group by d.camera_id
    )
    select c.camera_id, c.name as camera_name, coalesce(n.days, 0) as days, coalesce(n.count, 0) as detection_count
    from cameras c
    left join counted n using (camera_id)
    where c.deleted_at is null
    order by c.camera_id
  `;
  return rows.map(({ days, ...camera }) => ({ ...camera, uptime_percentage: (days / range.days) * 100 }));
}

/** Returns a text that changes if a camera is added, removed or renamed. */
export async function cameraNamesVersion(sql: Sql): Promise<string> {
  const [row] = await sql<[{ version: string | null }]>`
    select md5(string_agg(c.camera_id || ' ' || c.name, e'\\n' order by c.camera_id)) as version
    from cameras c
    where c.deleted_at is null
  `;
  return row.version ?? "";
}
