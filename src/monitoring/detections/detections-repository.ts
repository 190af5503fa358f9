import { dayMs } from "../../base/clock/clock.ts";
import type { Request } from "../../contract/route.ts";
import type { detectionRoutes } from "../../contract/routes/detections.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { fullPath, storedPath } from "../../platform/database/stored-paths.ts";
import { privatePartsOf } from "../cameras/cameras-repository.ts";
import { zonesOfDetection } from "../zones/zones-repository.ts";
import { type Box, type Detection, type DetectionRow, type DetectionSource, recordOf } from "./detection.ts";
import { pictureColumns, previewVersion } from "./previews-repository.ts";

/** A detection to store. */
export interface NewDetection {
  readonly cameraId: string;
  readonly imageId: number | null;
  readonly batchId: string | null;
  /** Absent: the event comes with its batch. */
  readonly eventId?: number | null;
  readonly filePath: string;
  /** MIME type. */
  readonly fileType: string | null;
  readonly videoOffsetSeconds: number | null;
  readonly detectedAt: Date;
  readonly objectType: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly box: Box | null;
  /** Since when it is parked there, and in how many of the last pictures it was seen; null or absent: it is not parked. */
  readonly parked?: { readonly since: Date; readonly seen: number; readonly pictures: number } | null;
  /** Of the upright picture, in pixels; null or absent while it is unknown. */
  readonly pictureSize?: { readonly width: number; readonly height: number } | null;
  /** The mask that hides it, so that it belongs to no batch. */
  readonly maskId?: number | null;
  readonly createdAt: Date;
}

/** Columns of a record, for `detections d`. */
export const columns = (sql: Sql) => sql`
  d.detection_id as id, d.camera_id, ${fullPath(sql, sql`d.file_path`)} as file_path, d.file_type, d.detected_at,
  (select i.captured_at from images i where i.image_id = d.image_id) as captured_at, d.object_type, d.confidence,
  d.bbox_x, d.bbox_y, d.bbox_width, d.bbox_height, d.thumbnail_path, ${pictureColumns(sql)}, d.event_id, d.batch_id,
  ${zonesOfDetection(sql)} as zones, d.enrichment, d.created_at, d.parked_since, d.mask_id
`;

/** Stores detections and returns their records in the given order. */
export async function insertDetections(sql: Sql, detections: readonly NewDetection[]): Promise<readonly Detection[]> {
  if (detections.length === 0) return [];
  const boxes = detections.map((detection) => detection.box);
  const rows = await sql<DetectionRow[]>`
    insert into detections as d (
      camera_id, image_id, batch_id, event_id, file_path, file_type, video_offset_seconds, detected_at, object_type, confidence,
      bbox_x, bbox_y, bbox_width, bbox_height, created_at, parked_since, parked_seen, parked_pictures,
      picture_width, picture_height, mask_id
    )
    select n.camera_id, n.image_id, n.batch_id, n.event_id, n.file_path, n.file_type, n.video_offset_seconds, n.detected_at, n.object_type, n.confidence,
      n.x, n.y, n.width, n.height, n.created_at, n.parked_since, n.parked_seen, n.parked_pictures,
      n.picture_width, n.picture_height, n.mask_id
    from unnest(
      ${detections.map((detection) => detection.cameraId)}::text[],
      ${detections.map((detection) => detection.imageId)}::bigint[],
      ${detections.map((detection) => detection.batchId)}::uuid[],
      ${detections.map((detection) => detection.eventId ?? null)}::bigint[],
      ${detections.map((detection) => storedPath(sql, detection.filePath))}::text[],
      ${detections.map((detection) => detection.fileType)}::text[],
      ${detections.map((detection) => detection.videoOffsetSeconds)}::real[],
      ${sql.array(detections.map((detection) => detection.detectedAt))}::timestamptz[],
      ${detections.map((detection) => detection.objectType)}::text[],
      ${detections.map((detection) => detection.confidence)}::float8[],
      ${boxes.map((box) => box && Math.round(box.x))}::integer[],
      ${boxes.map((box) => box && Math.round(box.y))}::integer[],
      ${boxes.map((box) => box && Math.round(box.width))}::integer[],
      ${boxes.map((box) => box && Math.round(box.height))}::integer[],
      ${sql.array(detections.map((detection) => detection.createdAt))}::timestamptz[],
      ${detections.map(({ parked }) => parked?.since.toISOString() ?? null)}::timestamptz[],
      ${detections.map(({ parked }) => parked?.seen ?? null)}::smallint[],
      ${detections.map(({ parked }) => parked?.pictures ?? null)}::smallint[],
      ${detections.map(({ pictureSize }) => pictureSize?.width ?? null)}::integer[],
      ${detections.map(({ pictureSize }) => pictureSize?.height ?? null)}::integer[],
      ${detections.map(({ maskId }) => maskId ?? null)}::bigint[]
    ) with ordinality as n (
      camera_id, image_id, batch_id, event_id, file_path, file_type, video_offset_seconds, detected_at, object_type, confidence,
      x, y, width, height, created_at, parked_since, parked_seen, parked_pictures, picture_width, picture_height, mask_id, position
    )
    order by n.position
    returning ${columns(sql)}
  `;
  return rows.map(recordOf);
}

/** Finds a detection; undefined if there is none. */
export async function findDetection(sql: Sql, id: number): Promise<Detection | undefined> {
  const [row] = await sql<[DetectionRow?]>`
    select ${columns(sql)}
    from detections d
    where d.detection_id = ${id}
  `;
  return row && recordOf(row);
}

/** Returns the detections of an event in order of time. */
export async function detectionsOfEvent(sql: Sql, eventId: number): Promise<readonly Detection[]> {
  const rows = await sql<DetectionRow[]>`
    select ${columns(sql)}
    from detections d
    where d.event_id = ${eventId}
    order by d.detected_at, d.detection_id
  `;
  return rows.map(recordOf);
}

type Edges = { readonly x: number | null; readonly y: number | null; readonly width: number | null; readonly height: number | null };

/** Returns the place of a detection; undefined if there is none. */
export async function findSource(sql: Sql, id: number): Promise<DetectionSource | undefined> {
  const [row] = await sql<[(Omit<DetectionSource, "box" | "otherTimes"> & Edges & { readonly otherTimes: readonly string[] })?]>`
    select d.detection_id as id, ${fullPath(sql, sql`d.file_path`)} as "filePath", d.file_type as "fileType", i.size_bytes as "fileSize",
      array(
        -- the newest will do: one of them is in the file by now
        select o.modified_ns::text
        from images o
        where o.camera_id = i.camera_id
          and o.path = i.path
          and o.size_bytes = i.size_bytes
          and o.sha256 <> i.sha256
        order by o.modified_ns desc
        limit 10
      ) as "otherTimes",
      coalesce(d.video_offset_seconds, case when starts_with(d.file_type, 'video/') then 0 end) as "videoOffsetSeconds", d.object_type as "objectType", d.confidence,
      d.bbox_x as x, d.bbox_y as y, d.bbox_width as width, d.bbox_height as height, d.thumbnail_path as "thumbnailPath",
      ${previewVersion(sql)} as "previewVersion", ${privatePartsOf(sql, sql`d.camera_id`)} as "privateParts"
    from detections d
    left join images i on i.image_id = d.image_id
    where d.detection_id = ${id}
  `;
  if (!row) return undefined;
  const { x, y, width, height, otherTimes, ...source } = row;
  return { ...source, otherTimes: otherTimes.map(BigInt), box: boxOf({ x, y, width, height }) };
}

function boxOf({ x, y, width, height }: Edges): Box | null {
  return x === null || y === null || width === null || height === null ? null : { x, y, width, height };
}

/** Returns the detections of an event in the picture of this one, itself included, the most confident first. */
export async function detectionsBeside(
  sql: Sql,
  id: number,
): Promise<readonly Pick<DetectionSource, "objectType" | "confidence" | "box">[]> {
  const rows = await sql<(Pick<DetectionSource, "objectType" | "confidence"> & Edges)[]>`
    select b.object_type as "objectType", b.confidence, b.bbox_x as x, b.bbox_y as y, b.bbox_width as width, b.bbox_height as height
    from detections d
    join detections b on b.event_id = d.event_id
      and b.file_path = d.file_path
      and b.image_id is not distinct from d.image_id
      and b.video_offset_seconds is not distinct from d.video_offset_seconds
    where d.detection_id = ${id}
    order by b.confidence desc, b.detection_id
    limit 50
  `;
  return rows.map(({ objectType, confidence, ...edges }) => ({ objectType, confidence, box: boxOf(edges) }));
}

/** Returns the stored enrichment of a detection as in jsonb; undefined if there is no such detection. */
export async function findEnrichment(sql: Sql, id: number): Promise<{ readonly enrichment: unknown } | undefined> {
  const [row] = await sql<[{ enrichment: unknown }?]>`
    select d.enrichment
    from detections d
    where d.detection_id = ${id}
  `;
  return row;
}

/** Records the path of a detection's thumbnail. False if no detection with that class and confidence exists any more. */
export async function noteThumbnail(
  sql: Sql,
  drawn: Pick<DetectionSource, "id" | "objectType" | "confidence">,
  path: string,
): Promise<boolean> {
  const noted = await sql`
    update detections d
    set thumbnail_path = ${path}
    where d.detection_id = ${drawn.id}
      and d.object_type = ${drawn.objectType}
      and d.confidence = ${drawn.confidence}
  `;
  return noted.count > 0;
}

/** Assigns the detections of batches to the batches' events. */
export async function linkDetections(sql: Sql, events: readonly { readonly eventId: number; readonly batchId: string }[]): Promise<void> {
  if (events.length === 0) return;
  await sql`
    update detections d
    set event_id = e.event_id
    from unnest(${events.map((event) => event.eventId)}::bigint[], ${events.map((event) => event.batchId)}::uuid[]) as e (event_id, batch_id)
    where d.batch_id = e.batch_id
      and d.event_id is null
  `;
}

/** Camera, event and batch of a detection. */
export interface DetectionPlace {
  readonly id: number;
  readonly cameraId: string;
  readonly eventId: number | null;
  readonly batchId: string | null;
}

/** Locks the existing detections until the end of the transaction and returns their places. */
export async function lockDetections(sql: Sql, ids: readonly number[]): Promise<readonly DetectionPlace[]> {
  return await sql<DetectionPlace[]>`
    select d.detection_id as id, d.camera_id as "cameraId", d.event_id as "eventId", d.batch_id as "batchId"
    from detections d
    where d.detection_id = any (${[...ids]}::bigint[])
    order by d.detection_id
    for update
  `;
}

/** Returns the cameras of the existing detections. */
export async function camerasOfDetections(sql: Sql, ids: readonly number[]): Promise<readonly string[]> {
  const rows = await sql<{ cameraId: string }[]>`
    select distinct d.camera_id as "cameraId"
    from detections d
    where d.detection_id = any (${[...ids]}::bigint[])
  `;
  return rows.map((row) => row.cameraId);
}

/** Returns the events of the existing detections. */
export async function eventsOfDetections(sql: Sql, ids: readonly number[]): Promise<readonly number[]> {
  const rows = await sql<{ eventId: number }[]>`
    select distinct d.event_id as "eventId"
    from detections d
    where d.detection_id = any (${[...ids]}::bigint[])
      and d.event_id is not null
  `;
  return rows.map((row) => row.eventId);
}

/** A correction of a detection; undefined fields stay. */
export interface DetectionChange {
  readonly id: number;
  readonly objectType: string | undefined;
  readonly confidence: number | undefined;
}

/** Stores corrections, one per detection, and invalidates their thumbnails. */
export async function changeDetections(sql: Sql, changes: readonly DetectionChange[]): Promise<void> {
  await sql`
    update detections d
    set object_type = coalesce(c.object_type, d.object_type), confidence = coalesce(c.confidence, d.confidence), thumbnail_path = null
    from unnest(
      ${changes.map((change) => change.id)}::bigint[],
      ${changes.map((change) => change.objectType ?? null)}::text[],
      ${changes.map((change) => change.confidence ?? null)}::float8[]
    ) as c (id, object_type, confidence)
    where d.detection_id = c.id
  `;
}

/** Moves detections to a later version of their file, which has them too. */
export async function moveToImage(
  sql: Sql,
  ids: readonly number[],
  image: { readonly imageId: number; readonly path: string; readonly mediaType: string | null },
): Promise<void> {
  await sql`
    update detections d
    set image_id = ${image.imageId}, file_path = ${storedPath(sql, image.path)}, file_type = ${image.mediaType}
    where d.detection_id = any (${[...ids]}::bigint[])
  `;
}

/** Deletes detections. */
export async function deleteDetections(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql`
    delete from detections d
    where d.detection_id = any (${[...ids]}::bigint[])
  `;
}

/** Filters of a detection list; a time range includes both ends. */
export interface DetectionFilter {
  readonly cameraIds?: readonly string[] | undefined;
  readonly objectTypes?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly minConfidence?: number | undefined;
  readonly eventId?: number | undefined;
  /** Only those that masks hide, or only the others. */
  readonly hidden?: boolean | undefined;
}

/** Returns the filter of a list or search query. */
export function filterOf(query: Omit<Request<(typeof detectionRoutes)["listDetections"]>["query"], "limit">): DetectionFilter {
  return {
    cameraIds: query.camera_id,
    objectTypes: query.object_type,
    from: query.start_date,
    to: query.end_date,
    minConfidence: query.min_confidence,
    eventId: query.event_id,
    hidden: query.hidden,
  };
}

/** Returns a page of the list, newest first, each detection with its sort key. */
export async function listDetections(
  sql: Sql,
  { filter, after, offset, limit }: Slice<TimeKey> & { readonly filter: DetectionFilter },
): Promise<readonly Keyed<Detection, TimeKey>[]> {
  const conditions = sql`
    ${whereDetections(sql, filter)}
    ${follows(sql, sql`d.detected_at, d.detection_id`, after)}
  `;
  // Merges one index walk per camera: a list of cameras as a condition would sort all of them.
  const source = filter.cameraIds
    ? sql`
        from (select distinct u.camera_id from unnest(${[...filter.cameraIds]}::text[]) as u (camera_id)) c
        cross join lateral (
          select d.detection_id, d.detected_at
          from detections d
          where d.camera_id = c.camera_id ${conditions}
          order by d.detected_at desc, d.detection_id desc
          limit ${limit + offset}
        ) d
      `
    : sql`from detections d where true ${conditions}`;
  const rows = await sql<(DetectionRow & { sort_time: string })[]>`
    with page as (
      select d.detection_id, d.detected_at
      ${source}
      order by d.detected_at desc, d.detection_id desc
      limit ${limit}
      offset ${offset}
    )
    select ${columns(sql)}, ${keyInstant(sql, sql`d.detected_at`)} as sort_time
    from page
    join detections d on d.detection_id = page.detection_id
    order by page.detected_at desc, page.detection_id desc
  `;
  return rows.map(({ sort_time, ...row }) => ({ record: recordOf(row), key: [sort_time, row.id] }));
}

/** Counts the matching detections exactly. Without a filter, or with one on cameras only, from stored totals. */
export async function countDetections(sql: Sql, filter: DetectionFilter): Promise<number> {
  const { cameraIds, ...others } = filter;
  const cameras = cameraIds ? [...cameraIds] : null;
  const [row] = Object.values(others).every((value) => value === undefined)
    ? await sql<[{ count: number }]>`
        select coalesce(sum(t.count), 0)::bigint as count
        from totals t
        where t.kind = 'detections'
          ${cameras ? sql`and t.camera_id = any (${cameras}::text[])` : sql``}
      `
    : await sql<[{ count: number }]>`
        select count(*) as count
        from detections d
        where true
          ${cameras ? sql`and d.camera_id = any (${cameras}::text[])` : sql``}
          ${whereDetections(sql, others)}
      `;
  return row.count;
}

/** Returns the days that a filter names, `YYYY-MM-DD`, if it has no other condition than those, cameras and classes. */
export function wholeDays(filter: DetectionFilter): { readonly first: string | undefined; readonly last: string | undefined } | undefined {
  const { from, to, minConfidence, eventId, hidden } = filter;
  if (minConfidence !== undefined || eventId !== undefined || hidden !== undefined) return undefined;
  if ((from && from.getTime() % dayMs !== 0) || (to && (to.getTime() + 1) % dayMs !== 0)) return undefined;
  return { first: from?.toISOString().slice(0, 10), last: to?.toISOString().slice(0, 10) };
}

/** Counts the detections of each class for these cameras. */
export async function detectionClasses(
  sql: Sql,
  cameraIds: readonly string[],
): Promise<readonly { readonly objectType: string; readonly count: number }[]> {
  return await sql<{ objectType: string; count: number }[]>`
    select p.object_type as "objectType", sum(p.count)::bigint as count
    from detections_per_day p
    where p.camera_id = any (${[...cameraIds]}::text[])
    group by p.object_type
    having sum(p.count) > 0
    order by p.object_type
  `;
}

/** Conditions of a filter on `detections d`, except cameras. */
export const whereDetections = (sql: Sql, { objectTypes, from, to, minConfidence, eventId, hidden }: DetectionFilter) => sql`
  ${objectTypes ? (objectTypes.length === 1 ? sql`and d.object_type = ${objectTypes[0] ?? ""}` : sql`and d.object_type = any (${[...objectTypes]}::text[])`) : sql``}
  ${from ? sql`and d.detected_at >= ${from}` : sql``}
  ${to ? sql`and d.detected_at < ${to}::timestamptz + interval '1 millisecond'` : sql``}
  ${minConfidence === undefined ? sql`` : sql`and d.confidence >= ${minConfidence}`}
  ${eventId === undefined ? sql`` : sql`and d.event_id = ${eventId}`}
  ${hidden === undefined ? sql`` : hidden ? sql`and d.mask_id is not null` : sql`and d.mask_id is null`}
`;
