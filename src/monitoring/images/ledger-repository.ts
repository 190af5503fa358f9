import type { z } from "zod";
import { notFound } from "../../contract/problem.ts";
import type { Image as ImageRecord } from "../../contract/routes/images.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { fullPath, storedPath } from "../../platform/database/stored-paths.ts";
import type { ImageStatus } from "./images-repository.ts";
import { retriedReasons } from "./reasons.ts";

export type Image = z.output<typeof ImageRecord>;

/** Columns of an entry's record, for `images i`. */
const columns = (sql: Sql) => sql`
  i.image_id as id, i.camera_id, ${fullPath(sql, sql`i.path`)} as path, i.size_bytes, to_timestamp(i.modified_ns / 1e9) as modified_at, i.media_type, i.width, i.height,
  encode(i.sha256, 'hex') as sha256, i.found_by, i.found_at, i.taken_at, i.captured_at, i.status, i.reason, i.detail, i.blur_hash, i.same_content_as, i.detection_count,
  i.detector, i.inference_ms, coalesce(i.left_out, '[]') as left_out, i.started_at, i.finished_at
`;

/** Returns entries by id, in order of time. */
export async function findImages(sql: Sql, ids: readonly number[]): Promise<readonly Image[]> {
  return await sql<Image[]>`
    select ${columns(sql)}
    from images i
    where i.image_id = any (${[...ids]}::bigint[])
    order by i.taken_at, i.image_id
  `;
}

/** Returns a ledger entry. Throws `Problem("not_found")` naming its id. */
export async function requireImage(sql: Sql, id: number): Promise<Image> {
  const [image] = await findImages(sql, [id]);
  if (!image) throw notFound("Image", id, "old entries are forgotten when their files are gone");
  return image;
}

/** Returns the newest entry of a file under one of these paths; undefined if there is none. */
export async function newestVersion(sql: Sql, paths: readonly string[]): Promise<Image | undefined> {
  const [row] = await sql<[Image?]>`
    -- found first, sorted then: else the newest entries might be walked through
    with versions as materialized (
      select v.image_id
      from cameras c
      cross join lateral (
        select o.image_id
        from images o
        where o.camera_id = c.camera_id
          and o.path = any (${paths.map((path) => storedPath(sql, path))}::text[])
      ) v
    )
    select ${columns(sql)}
    from versions v
    join images i on i.image_id = v.image_id
    order by v.image_id desc
    limit 1
  `;
  return row;
}

/** Returns an entry of a camera with this content; undefined if there is none, or its file has to come again. */
export async function sameContent(sql: Sql, cameraIds: readonly string[], sha256: Buffer): Promise<number | undefined> {
  const [row] = await sql<[{ id: number }?]>`
    select i.image_id as id
    from images i
    where i.camera_id = any (${[...cameraIds]}::text[])
      and i.sha256 = ${sha256}
      and (i.status <> 'skipped' or i.reason <> all (${[...retriedReasons]}))
    limit 1
  `;
  return row?.id;
}

/** Returns entries of a camera in a time range, both ends included, oldest first. */
export async function imagesBetween(sql: Sql, cameraId: string, from: Date, to: Date, limit: number): Promise<readonly Image[]> {
  return await sql<Image[]>`
    select ${columns(sql)}
    from images i
    where i.camera_id = ${cameraId}
      and i.taken_at between ${from} and ${to}
    order by i.taken_at, i.image_id
    limit ${limit}
  `;
}

/** Returns the nearest entry of a camera before or after a time; undefined if there is none. */
export async function nearestImage(sql: Sql, cameraId: string, side: "before" | "after", at: Date): Promise<Image | undefined> {
  const [row] = await sql<[Image?]>`
    select ${columns(sql)}
    from images i
    where i.camera_id = ${cameraId}
      and ${
        side === "before"
          ? sql`i.taken_at < ${at} order by i.taken_at desc, i.image_id desc`
          : sql`i.taken_at > ${at} order by i.taken_at, i.image_id`
      }
    limit 1
  `;
  return row;
}

/** Filters of the ledger; a time range includes both ends. */
export interface ImageFilter {
  readonly cameraIds?: readonly string[] | undefined;
  readonly statuses?: readonly ImageStatus[] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Returns a page of the ledger, newest first, each entry with its sort key. Merges one walk down the index per camera. */
export async function listImages(
  sql: Sql,
  { filter, after, offset, limit }: Slice<TimeKey> & { readonly filter: ImageFilter },
): Promise<readonly Keyed<Image, TimeKey>[]> {
  const rows = await sql<(Image & { readonly sort_time: string })[]>`
    with page as (
      select p.image_id, p.taken_at
      from cameras c
      cross join lateral (
        select i.image_id, i.taken_at
        from images i
        where i.camera_id = c.camera_id
          ${conditions(sql, filter)}
          ${follows(sql, sql`i.taken_at, i.image_id`, after)}
        order by i.taken_at desc, i.image_id desc
        limit ${limit + offset}
      ) p
      ${filter.cameraIds ? sql`where c.camera_id = any (${[...filter.cameraIds]}::text[])` : sql``}
      order by p.taken_at desc, p.image_id desc
      limit ${limit}
      offset ${offset}
    )
    select ${columns(sql)}, ${keyInstant(sql, sql`i.taken_at`)} as sort_time
    from page
    join images i on i.image_id = page.image_id
    order by page.taken_at desc, page.image_id desc
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the matching entries exactly. Without a filter, or with one on cameras only, from stored totals. */
export async function countImages(sql: Sql, filter: ImageFilter): Promise<number> {
  const { cameraIds, ...others } = filter;
  const ofCameras = cameraIds ? sql`and t.camera_id = any (${[...cameraIds]}::text[])` : sql``;
  const [row] = Object.values(others).every((value) => value === undefined)
    ? await sql<[{ count: number }]>`
        select coalesce(sum(t.file_count), 0)::bigint as count
        from image_totals t
        where true ${ofCameras}
      `
    : await sql<[{ count: number }]>`
        select count(*) as count
        from images i
        where true
          ${cameraIds ? sql`and i.camera_id = any (${[...cameraIds]}::text[])` : sql``}
          ${conditions(sql, others)}
      `;
  return row.count;
}

const conditions = (sql: Sql, { statuses, from, to }: Omit<ImageFilter, "cameraIds">) => sql`
  ${statuses ? sql`and i.status = any (${[...statuses]}::text[])` : sql``}
  ${from ? sql`and i.taken_at >= ${from}` : sql``}
  ${to ? sql`and i.taken_at < ${to}::timestamptz + interval '1 millisecond'` : sql``}
`;

/** Returns the detector's mean time per picture since `since`, in milliseconds, from at most 10,000 pictures; null if there are none. */
export async function meanInferenceMs(sql: Sql, since: Date): Promise<number | null> {
  const [row] = await sql<[{ mean: number | null }]>`
    select avg(n.inference_ms) as mean
    from (
      select i.inference_ms
      from images i
      where i.started_at is not null
        and i.finished_at >= ${since}
        -- that of a video is the sum of all its frames
        and coalesce(i.media_type, '') not like 'video/%'
      order by i.finished_at desc
      limit 10000
    ) n
  `;
  return row.mean;
}
