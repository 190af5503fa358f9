import type { Sql } from "../../platform/database/database.ts";
import { type Detection, type DetectionRow, recordOf } from "../detections/detection.ts";
import { columns as detectionColumns } from "../detections/detections-repository.ts";
import { pictureSize } from "../zones/zones-repository.ts";
import { edgeTolerance, leastTolerance, type Mask, type ShareBox } from "./mask.ts";

const columns = (sql: Sql) => sql`
  m.mask_id as id, m.camera_id, m.object_type,
  jsonb_build_object('x', m.box_x, 'y', m.box_y, 'width', m.box_width, 'height', m.box_height) as box, m.detection_id, m.hidden_count,
  m.last_hidden_at, m.doubtful_since, m.created_at
`;

/** Returns the masks of cameras that are not deleted, newest first; optionally of one camera. */
export async function listMasks(sql: Sql, cameraId?: string): Promise<Mask[]> {
  return await sql<Mask[]>`
    select ${columns(sql)}
    from camera_masks m
    join cameras c on c.camera_id = m.camera_id
    where c.deleted_at is null
      ${cameraId === undefined ? sql`` : sql`and m.camera_id = ${cameraId}`}
    order by m.mask_id desc
  `;
}

/** Returns the masks of these cameras, in any order. */
export async function masksOf(sql: Sql, cameraIds: readonly string[]): Promise<readonly Mask[]> {
  return await sql<Mask[]>`
    select ${columns(sql)}
    from camera_masks m
    where m.camera_id = any (${[...cameraIds]}::text[])
  `;
}

/** A class at a place of a camera. */
export interface Spot {
  readonly cameraId: string;
  readonly objectType: string;
  readonly box: ShareBox;
  readonly detectionId: number;
}

/** The box of `detections d` in shares of the picture `p`. */
const shares = (sql: Sql) => sql`
  d.bbox_x::float8 / p.width as x, d.bbox_y::float8 / p.height as y, d.bbox_width::float8 / p.width as width,
  d.bbox_height::float8 / p.height as height
`;

/** Returns class and place of a detection: `box` is null if its place is unknown. Undefined if there is no such detection. */
export async function findSpot(
  sql: Sql,
  detectionId: number,
): Promise<(Omit<Spot, "box"> & { readonly box: ShareBox | null }) | undefined> {
  const [row] = await sql<[(Omit<Spot, "box"> & { x: number | null; y: number; width: number; height: number })?]>`
    select d.detection_id as "detectionId", d.camera_id as "cameraId", d.object_type as "objectType", ${shares(sql)}
    from detections d
    cross join lateral ${pictureSize(sql)} p
    where d.detection_id = ${detectionId}
  `;
  if (!row) return undefined;
  const { x, y, width, height, ...spot } = row;
  return { ...spot, box: x === null ? null : { x, y, width, height } };
}

/** Stores a mask. */
export async function insertMask(sql: Sql, { cameraId, objectType, box, detectionId }: Spot, now: Date): Promise<Mask> {
  const [mask] = await sql<[Mask]>`
    insert into camera_masks as m (camera_id, object_type, box_x, box_y, box_width, box_height, detection_id, created_at)
    values (${cameraId}, ${objectType}, ${box.x}, ${box.y}, ${box.width}, ${box.height}, ${detectionId}, ${now})
    returning ${columns(sql)}
  `;
  return mask;
}

/** Deletes a mask. Returns whether it existed. */
export async function deleteMask(sql: Sql, id: number): Promise<boolean> {
  const rows = await sql`delete from camera_masks m where m.mask_id = ${id} returning m.mask_id`;
  return rows.length > 0;
}

/** Counts what masks hid just now. */
export async function countHidden(sql: Sql, counts: ReadonlyMap<number, number>, now: Date): Promise<void> {
  if (counts.size === 0) return;
  await sql`
    with locked as materialized (
      select m.mask_id
      from camera_masks m
      where m.mask_id = any (${[...counts.keys()]}::bigint[])
      order by m.mask_id
      for no key update
    )
    update camera_masks m
    set hidden_count = m.hidden_count + c.count, last_hidden_at = ${now}
    from unnest(${[...counts.keys()]}::bigint[], ${[...counts.values()]}::bigint[]) as c (mask_id, count)
    join locked l on l.mask_id = c.mask_id
    where m.mask_id = c.mask_id
  `;
}

/** The detections of events that a mask for this spot would have hidden since a time. */
const hidden = (sql: Sql, { cameraId, objectType, box }: Spot, since: Date) => {
  const across = Math.max(leastTolerance, edgeTolerance * box.width);
  const down = Math.max(leastTolerance, edgeTolerance * box.height);
  return sql`
    select d.detection_id, d.event_id, d.detected_at
    from detections d
    cross join lateral ${pictureSize(sql)} p
    cross join lateral (select ${shares(sql)}) s
    where d.camera_id = ${cameraId}
      and d.detected_at >= ${since}
      and d.object_type = ${objectType}
      and d.mask_id is null
      and abs(s.x - ${box.x}::float8) <= ${across}::float8
      and abs(s.x + s.width - ${box.x + box.width}::float8) <= ${across}::float8
      and abs(s.y - ${box.y}::float8) <= ${down}::float8
      and abs(s.y + s.height - ${box.y + box.height}::float8) <= ${down}::float8
  `;
};

/** Counts what a mask for this spot would have hidden since a time, and returns the newest examples. */
export async function wouldHide(
  sql: Sql,
  spot: Spot,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<{ readonly detections: number; readonly events: number; readonly examples: readonly Detection[] }> {
  const [counts] = await sql<[{ detections: number; events: number }]>`
    with hidden as materialized (${hidden(sql, spot, since)})
    select (select count(*) from hidden) as detections,
      (
        select count(*)
        from (select h.event_id, count(*) as count from hidden h where h.event_id is not null group by h.event_id) o
        join events e on e.event_id = o.event_id
        where e.deleted_at is null
          and e.detection_count <= o.count
      ) as events
  `;
  const rows = await sql<DetectionRow[]>`
    with newest as (
      select h.detection_id, h.detected_at from (${hidden(sql, spot, since)}) h order by h.detected_at desc, h.detection_id desc limit ${limit}
    )
    select ${detectionColumns(sql)}
    from newest n
    join detections d on d.detection_id = n.detection_id
    order by n.detected_at desc, n.detection_id desc
  `;
  return { ...counts, examples: rows.map(recordOf) };
}

/** Notes that a camera was moved: its masks may hide another place since then. */
export async function doubtMasks(sql: Sql, cameraId: string, since: Date): Promise<void> {
  await sql`
    update camera_masks m
    set doubtful_since = ${since}
    where m.camera_id = ${cameraId}
      and m.doubtful_since is null
  `;
}

/** Ends the doubt about the masks of a camera. */
export async function confirmMasks(sql: Sql, cameraId: string): Promise<void> {
  await sql`
    update camera_masks m
    set doubtful_since = null
    where m.camera_id = ${cameraId}
      and m.doubtful_since is not null
  `;
}
