import type { Point } from "../../contract/polygon.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type Area, literalOf, pointsOf, type Zone } from "./zone.ts";

type ZoneRow = Omit<Zone, "points"> & { readonly points: string };

const columns = (sql: Sql) => sql`z.camera_id, z.name, z.points, z.is_private as private, z.doubtful_since, z.created_at, z.updated_at`;

function zoneOf(row: ZoneRow): Zone {
  return { ...row, points: pointsOf(row.points) };
}

/** Returns the zones of a camera in order of their names. */
export async function zonesOf(sql: Sql, cameraId: string): Promise<Zone[]> {
  const rows = await sql<ZoneRow[]>`
    select ${columns(sql)}
    from camera_zones z
    where z.camera_id = ${cameraId}
    order by lower(z.name)
  `;
  return rows.map(zoneOf);
}

/** Returns the zones of all cameras that are not deleted. */
export async function allZones(sql: Sql): Promise<Zone[]> {
  const rows = await sql<ZoneRow[]>`
    select ${columns(sql)}
    from camera_zones z
    join cameras c on c.camera_id = z.camera_id
    where c.deleted_at is null
    order by z.camera_id, lower(z.name)
  `;
  return rows.map(zoneOf);
}

/** Returns the same by camera. A camera without zones has no entry. */
export async function zonesByCamera(sql: Sql): Promise<ReadonlyMap<string, readonly Area[]>> {
  const byCamera = new Map<string, Zone[]>();
  for (const zone of await allZones(sql)) byCamera.set(zone.camera_id, [...(byCamera.get(zone.camera_id) ?? []), zone]);
  return byCamera;
}

/** Notes that a camera was moved: its zones may lie elsewhere since then. */
export async function doubtZones(sql: Sql, cameraId: string, since: Date): Promise<void> {
  await sql`
    update camera_zones z
    set doubtful_since = ${since}
    where z.camera_id = ${cameraId}
      and z.doubtful_since is null
  `;
}

/**
 * Stores a zone, or replaces the corners of the zone with that name in any case; it is no longer doubtful then. Whether it is private stays
 * as it is without `isPrivate`.
 */
export async function storeZone(
  sql: Sql,
  cameraId: string,
  { name, points, isPrivate }: { name: string; points: readonly Point[]; isPrivate?: boolean | undefined },
  now: Date,
): Promise<Zone> {
  const [row] = await sql<[ZoneRow]>`
    insert into camera_zones as z (camera_id, name, points, is_private, created_at, updated_at)
    values (${cameraId}, ${name}, ${literalOf(points)}, ${isPrivate ?? false}, ${now}, ${now})
    on conflict (camera_id, lower(name)) do update
    set points = excluded.points, is_private = coalesce(${isPrivate ?? null}, z.is_private), doubtful_since = null, updated_at = excluded.updated_at
    returning ${columns(sql)}
  `;
  return zoneOf(row);
}

/** Deletes a zone by its name in any case. Returns whether it existed. */
export async function deleteZone(sql: Sql, cameraId: string, name: string): Promise<boolean> {
  const rows = await sql`
    delete from camera_zones z
    where z.camera_id = ${cameraId}
      and lower(z.name) = lower(${name})
    returning z.name
  `;
  return rows.length > 0;
}

/** Ends the doubt about the zones of a camera. */
export async function confirmZones(sql: Sql, cameraId: string, now: Date): Promise<void> {
  await sql`
    update camera_zones z
    set doubtful_since = null, updated_at = ${now}
    where z.camera_id = ${cameraId}
      and z.doubtful_since is not null
  `;
}

/** The size of the picture of `detections d`, in pixels: one row with `width` and `height`, which are null while it is unknown. */
export const pictureSize = (sql: Sql) => sql`
  (
    select nullif(coalesce(d.picture_width, (select i.width from images i where i.image_id = d.image_id)), 0) as width,
      nullif(coalesce(d.picture_height, (select i.height from images i where i.image_id = d.image_id)), 0) as height
  )
`;

/** The middle of the lower edge of the box of `detections d`, in shares of its picture; null without a box or the picture's size. */
const feet = (sql: Sql) => sql`
  (
    select point(least((d.bbox_x + d.bbox_width / 2.0::float8) / p.width, 1), least((d.bbox_y + d.bbox_height)::float8 / p.height, 1))
    from ${pictureSize(sql)} p
    -- least() ignores nulls
    where p.width > 0
      and p.height > 0
      and d.bbox_x is not null
  )
`;

/** The names of the zones that `detections d` is in, as the zones are now. */
export const zonesOfDetection = (sql: Sql) => sql`
  array(
    select z.name
    from camera_zones z
    where z.camera_id = d.camera_id
      and z.points::polygon @> ${feet(sql)}
    order by lower(z.name)
  )
`;

/** The names of the zones that any detection of `events e` is in, as the zones are now. */
export const zonesOfEvent = (sql: Sql) => sql`
  array(
    select z.name
    from camera_zones z
    where z.camera_id = e.camera_id
      and exists (select from detections d where d.event_id = e.event_id and z.points::polygon @> ${feet(sql)})
    order by lower(z.name)
  )
`;
