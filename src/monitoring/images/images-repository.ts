import type { imageStatuses } from "../../contract/constants.ts";
import type { Sql } from "../../platform/database/database.ts";
import { fullPath, storedPath } from "../../platform/database/stored-paths.ts";
import { type PrivateParts, privatePartsOf } from "../cameras/cameras-repository.ts";
import type { LeftOut } from "../upstream/left-out.ts";
import { retriedReasons, reupload } from "./reasons.ts";

/** A row of the ledger for the detect stage. */
export interface LedgerImage {
  readonly imageId: number;
  readonly cameraId: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** Modification time in nanoseconds since 1970: too large for an exact number. */
  readonly modifiedNs: bigint;
  readonly mediaType: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly foundBy: "watch" | "scan";
  readonly foundAt: Date;
  readonly takenAt: Date;
  readonly status: ImageStatus;
  /** The first entry with the same content. */
  readonly sameContentAs: number | null;
  /** The first version of the file, which this one goes on from. */
  readonly continues: number | null;
  readonly privateParts: PrivateParts;
}

export type ImageStatus = (typeof imageStatuses)[number];

/** One version of a file: the ledger's unique key within a camera. */
export interface FileVersion {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedNs: bigint;
}

/** A row to insert. The detector processes `pending` rows without a reason. */
export interface NewImage extends FileVersion {
  readonly foundBy: "watch" | "scan";
  readonly takenAt: Date;
  /** By the camera's clock; null if the file does not say. */
  readonly capturedAt: Date | null;
  readonly mediaType: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly sha256: Buffer | null;
  /** Of a video, for the comparison with its later versions. */
  readonly samples: Buffer | null;
  readonly status: "pending" | "skipped";
  readonly reason: string | null;
  readonly detail: string | null;
}

/** A row that was inserted, or reset to pending after an outcome that may change. */
export interface InsertedImage {
  readonly imageId: number;
  /** Index in the input. */
  readonly index: number;
  /** The row existed before and was reset. */
  readonly takenUp: boolean;
  readonly status: ImageStatus;
  /** Why it is not processed; null if it is. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** Processed paths with the same content, size and time. If one no longer exists, the file was moved. */
  readonly seenAt: readonly string[];
}

/**
 * Inserts ledger rows. Known versions stay unchanged, except those with an outcome that may change. A version whose content was
 * processed before under the same path becomes `skipped` as a re-upload. Each path may occur once. `sharers` are the cameras of the same
 * folder, this one included: a file that was touched or renamed may have been processed for another one.
 */
export async function insertImages(
  sql: Sql,
  cameraId: string,
  foundAt: Date,
  images: readonly NewImage[],
  sharers: readonly string[] = [cameraId],
): Promise<readonly InsertedImage[]> {
  return await sql<InsertedImage[]>`
    with found as (
      select f.path, f.size_bytes, f.modified_ns, f.media_type, f.width, f.height, decode(f.sha256, 'hex') as sha256, decode(f.samples, 'hex') as samples, f.found_by, f.taken_at, f.captured_at,
        f.status, f.reason, f.detail, f.index - 1 as index
      from unnest(
        ${images.map((image) => storedPath(sql, image.path))}::text[],
        ${images.map((image) => image.sizeBytes)}::bigint[],
        ${images.map((image) => image.modifiedNs.toString())}::bigint[],
        ${images.map((image) => image.mediaType)}::text[],
        ${images.map((image) => image.width)}::int[],
        ${images.map((image) => image.height)}::int[],
        ${images.map((image) => image.sha256?.toString("hex") ?? null)}::text[],
        ${images.map((image) => image.samples?.toString("hex") ?? null)}::text[],
        ${images.map((image) => image.foundBy)}::text[],
        ${images.map((image) => image.takenAt.toISOString())}::timestamptz[],
        ${images.map((image) => image.capturedAt?.toISOString() ?? null)}::timestamptz[],
        ${images.map((image) => image.status)}::text[],
        ${images.map((image) => image.reason)}::text[],
        ${images.map((image) => image.detail)}::text[]
      ) with ordinality as f (path, size_bytes, modified_ns, media_type, width, height, sha256, samples, found_by, taken_at, captured_at, status, reason, detail, index)
    ),
    judged as (
      select f.*, again.image_id is not null as is_reupload, original.image_id as same_content_as,
        array(
          select ${fullPath(sql, sql`i.path`)}
          from (
            -- A few are enough: some cameras copy one file with its time under thousands of names.
            select c.path, c.status, c.reason
            from images c
            where c.camera_id = any (${[...sharers]}::text[])
              and c.sha256 = f.sha256
              and c.modified_ns = f.modified_ns
            limit 10
          ) i
          where i.path <> f.path
            and (i.status = 'processed' or i.reason in ('reupload', 'moved'))
        ) as seen_at
      from found f
      left join lateral (
        select coalesce(i.same_content_as, i.image_id) as image_id
        from images i
        where i.camera_id = ${cameraId}
          and i.sha256 = f.sha256
        limit 1
      ) original on true
      left join lateral (
        -- "is not distinct from" keeps the lookup on the path: some cameras send the same content under thousands of names.
        select i.image_id
        from images i
        where i.camera_id = any (${[...sharers]}::text[])
          and i.path = f.path
          and i.size_bytes = f.size_bytes
          and i.modified_ns <> f.modified_ns
          and f.sha256 is not null
          and i.sha256 is not distinct from f.sha256
          and (i.status = 'processed' or i.reason in ('reupload', 'moved'))
        limit 1
      ) again on true
    ),
    inserted as (
      insert into images (camera_id, path, size_bytes, modified_ns, media_type, width, height, sha256, samples, found_by, found_at, taken_at, captured_at, status, reason,
        detail, same_content_as, finished_at)
      select ${cameraId}, j.path, j.size_bytes, j.modified_ns, j.media_type, j.width, j.height, j.sha256, j.samples, j.found_by, ${foundAt}, j.taken_at, j.captured_at,
        case when j.is_reupload then 'skipped' else j.status end,
        case when j.is_reupload then ${reupload.reason} else j.reason end,
        case when j.is_reupload then ${reupload.detail} else j.detail end,
        j.same_content_as,
        case when j.is_reupload or j.status = 'skipped' then ${foundAt}::timestamptz end
      from judged j
      order by j.index
      on conflict (camera_id, path, size_bytes, modified_ns) do update
      set media_type = excluded.media_type, width = excluded.width, height = excluded.height, sha256 = excluded.sha256, samples = excluded.samples, status = excluded.status,
        reason = excluded.reason, detail = excluded.detail, same_content_as = nullif(excluded.same_content_as, images.image_id),
        finished_at = excluded.finished_at
      where images.status = 'skipped'
        and images.started_at is null
        and images.reason = any (${[...retriedReasons]})
        and excluded.reason is distinct from images.reason
      -- A new row has no xmax.
      returning image_id, path, status, reason, detail, xmax <> 0 as taken_up
    )
    select n.image_id as "imageId", j.index::int as index, n.taken_up as "takenUp", n.status, n.reason, n.detail, case when n.status = 'pending' then j.seen_at else '{}' end as "seenAt"
    from inserted n
    join judged j using (path)
    order by j.index
  `;
}

/**
 * Returns the indexes of the versions of files that the ledger does not know, or knows with an outcome in `retried`, for all cameras that
 * share the folder.
 */
export async function unknownVersions(
  sql: Sql,
  cameraIds: readonly string[],
  files: readonly FileVersion[],
  retried = retriedReasons,
): Promise<readonly number[]> {
  const rows = await sql<{ index: number }[]>`
    select (f.index - 1)::int as index
    from unnest(
      ${files.map((file) => storedPath(sql, file.path))}::text[],
      ${files.map((file) => file.sizeBytes)}::bigint[],
      ${files.map((file) => file.modifiedNs.toString())}::bigint[]
    ) with ordinality as f (path, size_bytes, modified_ns, index)
    where not exists (
      select 1
      from images i
      where i.camera_id = any (${[...cameraIds]}::text[])
        and i.path = f.path
        and i.size_bytes = f.size_bytes
        and i.modified_ns = f.modified_ns
        -- A name that is not UTF-8 cannot be opened until it changes.
        and not (i.status = 'skipped' and i.started_at is null and i.reason = any (${[...retried]}) and strpos(i.path, ${"\ufffd"}) = 0)
    )
    order by f.index
  `;
  return rows.map((row) => row.index);
}

/** Links rows to the first one with the same content. */
export async function linkSameContent(
  sql: Sql,
  links: readonly { readonly imageId: number; readonly originalId: number }[],
): Promise<void> {
  await sql`
    update images i
    set same_content_as = l.original_id
    from unnest(${links.map((link) => link.imageId)}::bigint[], ${links.map((link) => link.originalId)}::bigint[]) as l (image_id, original_id)
    where i.image_id = l.image_id
      and i.same_content_as is null
  `;
}

/** Returns the pictures of detect jobs, in the given order; undefined for deleted ones. */
export async function imagesForJobs(sql: Sql, imageIds: readonly number[]): Promise<readonly (LedgerImage | undefined)[]> {
  const rows = await sql<(Omit<LedgerImage, "modifiedNs"> & { readonly modifiedNs: string })[]>`
    select i.image_id as "imageId", i.camera_id as "cameraId", ${fullPath(sql, sql`i.path`)} as path, i.size_bytes as "sizeBytes", i.modified_ns::text as "modifiedNs",
      i.media_type as "mediaType", i.width, i.height, i.found_by as "foundBy", i.found_at as "foundAt", i.taken_at as "takenAt", i.status,
      i.same_content_as as "sameContentAs", i.continues, ${privatePartsOf(sql, sql`i.camera_id`)} as "privateParts"
    from images i
    where i.image_id = any (${[...imageIds]}::bigint[])
  `;
  const images = new Map(rows.map((row) => [row.imageId, { ...row, modifiedNs: BigInt(row.modifiedNs) }]));
  return imageIds.map((id) => images.get(id));
}

/** The detector's result for a picture. */
export interface ProcessedImage {
  readonly imageId: number;
  readonly detectionCount: number;
  readonly detector: string;
  readonly inferenceMs: number | null;
  /** The parts of the detector's answer that were left out. */
  readonly leftOut: readonly LeftOut[];
  /** The part of a video that was not processed. */
  readonly detail: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date;
}

/** Marks pictures as processed by the detector. */
export async function markProcessed(sql: Sql, images: readonly ProcessedImage[]): Promise<void> {
  await sql`
    update images i
    set status = 'processed', reason = null, detail = p.detail, detection_count = p.detection_count, detector = p.detector,
      inference_ms = p.inference_ms, left_out = p.left_out::jsonb, started_at = p.started_at, finished_at = p.finished_at
    from unnest(
      ${images.map((image) => image.imageId)}::bigint[],
      ${images.map((image) => image.detectionCount)}::integer[],
      ${images.map((image) => image.detector)}::text[],
      ${images.map((image) => image.inferenceMs)}::float8[],
      ${images.map(({ leftOut }) => (leftOut.length === 0 ? null : JSON.stringify(leftOut)))}::text[],
      ${images.map((image) => image.detail)}::text[],
      ${sql.array(images.map((image) => image.startedAt))}::timestamptz[],
      ${sql.array(images.map((image) => image.finishedAt))}::timestamptz[]
    ) as p (image_id, detection_count, detector, inference_ms, left_out, detail, started_at, finished_at)
    where i.image_id = p.image_id
  `;
}

/** Marks a picture as skipped; `reason` is one of `imageReasons`. */
export async function markSkipped(
  sql: Sql,
  imageId: number,
  why: { readonly reason: string; readonly detail: string; readonly startedAt: Date | null; readonly finishedAt: Date },
): Promise<void> {
  await sql`
    update images i
    set status = 'skipped', reason = ${why.reason}, detail = ${why.detail}, started_at = ${why.startedAt}, finished_at = ${why.finishedAt}
    where i.image_id = ${imageId}
  `;
}

/** Marks a picture as deferred: homesec retries it automatically. `reason` is the problem of the service. */
export async function markDeferred(sql: Sql, imageId: number, why: { readonly reason: string; readonly detail: string }): Promise<void> {
  await sql`
    update images i
    set status = 'deferred', reason = ${why.reason}, detail = ${why.detail}
    where i.image_id = ${imageId}
  `;
}

/** Marks a picture as failed for good. */
export async function markFailed(
  sql: Sql,
  imageId: number,
  why: { readonly reason: string; readonly detail: string; readonly finishedAt: Date },
): Promise<void> {
  await sql`
    update images i
    set status = 'failed', reason = ${why.reason}, detail = ${why.detail}, finished_at = ${why.finishedAt}
    where i.image_id = ${imageId}
  `;
}

/** Marks up to `limit` waiting pictures, oldest first, as deferred because the detector is down. Returns their number. */
export async function deferWaitingImages(
  sql: Sql,
  why: { readonly reason: string; readonly detail: string },
  limit: number,
): Promise<number> {
  const deferred = await sql`
    with waiting as (
      select i.image_id
      from images i
      where i.status = 'pending'
      order by i.image_id
      limit ${limit}
      for update skip locked
    )
    update images i
    set status = 'deferred', reason = ${why.reason}, detail = ${why.detail}
    from waiting w
    where i.image_id = w.image_id
  `;
  return deferred.count;
}

/** Resets pictures that could not be processed to pending. */
export async function resetImages(sql: Sql, imageIds: readonly number[]): Promise<void> {
  await sql`
    update images i
    set status = 'pending', reason = null, detail = null, started_at = null, finished_at = null
    where i.image_id = any (${[...imageIds]}::bigint[])
      and i.status in ('skipped', 'failed')
  `;
}
