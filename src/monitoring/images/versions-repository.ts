import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { storedPath } from "../../platform/database/stored-paths.ts";
import type { NewJob } from "../../work/jobs/jobs-repository.ts";
import type { FileVersion } from "./images-repository.ts";
import { replacedBy } from "./reasons.ts";

/** A place in the queue. */
export type Place = Pick<NewJob, "priority" | "position">;

/** A file may have thousands of versions; those before the newest few were compared with them. */
const mostVersions = 5;

/** An earlier version of a file. */
export interface EarlierVersion {
  readonly imageId: number;
  readonly mediaType: string | null;
  /** Null for pictures. */
  readonly samples: Buffer | null;
  /** The first version that it went on from, or itself: the entry that was processed if it is the same file under another time or name. */
  readonly firstId: number;
}

const firstId = (sql: Sql) => sql`
  coalesce(i.continues, case when i.reason in ('reupload', 'moved') then i.same_content_as end, i.image_id) as "firstId"
`;

/** Returns this version of a file; undefined if the ledger does not know it. */
export async function versionBefore(sql: Sql, cameraId: string, version: FileVersion): Promise<EarlierVersion | undefined> {
  const [row] = await sql<[EarlierVersion?]>`
    select i.image_id as "imageId", i.media_type as "mediaType", i.samples, ${firstId(sql)}
    from images i
    where i.camera_id = ${cameraId}
      and i.path = ${storedPath(sql, version.path)}
      and i.size_bytes = ${version.sizeBytes}
      and i.modified_ns = ${version.modifiedNs.toString()}::text::bigint
  `;
  return row;
}

/** Returns the newest versions of a file before an entry, the newest first. */
export async function versionsBefore(sql: Sql, imageId: number): Promise<readonly EarlierVersion[]> {
  return await sql<EarlierVersion[]>`
    -- found first, sorted then: else the newest entries of all files might be walked through
    with versions as materialized (
      select o.image_id
      from images n
      join images o on o.camera_id = n.camera_id and o.path = n.path and o.image_id < n.image_id
      where n.image_id = ${imageId}
    )
    select i.image_id as "imageId", i.media_type as "mediaType", i.samples, ${firstId(sql)}
    from versions v
    join images i on i.image_id = v.image_id
    order by v.image_id desc
    limit ${mostVersions}
  `;
}

/** The entries of a file from its first version up to an entry, without it, as ids. */
const before = (sql: Sql, imageId: number | SqlFragment, first: number | SqlFragment) => sql`
  array(
    select i.image_id from images i where i.image_id = ${first} and i.image_id < ${imageId}
    union all
    select i.image_id from images i where i.continues = ${first} and i.image_id < ${imageId}
  )
`;

/**
 * Notes that an entry goes on from the first version of its file. Earlier versions that have no detections yet, or are dead letters, are
 * replaced at once, unless the detector is processing them. Returns the first place in the queue that they had; undefined if none.
 */
export async function noteContinuation(sql: Sql, imageId: number, first: number, now: Date): Promise<Place | undefined> {
  await sql`
    update images i
    set continues = ${first}
    where i.image_id = ${imageId}
  `;
  return await replaceUndone(sql, imageId, { images: before(sql, imageId, first), jobs: ["pending", "dead"] }, now);
}

/** Removes the dead letters of earlier versions of a file: their content is gone, so that no retry would help. */
export async function removeDeadLetters(sql: Sql, imageId: number, earlier: readonly number[], now: Date): Promise<void> {
  if (earlier.length === 0) return;
  await replaceUndone(sql, imageId, { images: sql`${[...earlier]}::bigint[]`, jobs: ["dead"] }, now);
}

async function replaceUndone(
  sql: Sql,
  imageId: number,
  undone: { readonly images: SqlFragment; readonly jobs: readonly ("pending" | "dead")[] },
  now: Date,
): Promise<Place | undefined> {
  const { reason, detail } = replacedBy(imageId);
  const [place] = await sql<[Place?]>`
    with gone as (
      delete from jobs j
      where j.queue = 'detect'
        and j.subject = any (${undone.images}::text[])
        and j.status = any (${[...undone.jobs]}::text[])
      returning j.subject::bigint as image_id, j.status, j.priority, j.position
    ),
    replaced as (
      update images i
      set status = 'skipped', reason = ${reason}, detail = ${detail}, finished_at = ${now}
      where i.image_id = any (array(select gone.image_id from gone))
        and i.status <> 'processed'
    )
    select g.priority, g.position
    from gone g
    where g.status = 'pending'
    order by g.priority, g.position
    limit 1
  `;
  return place;
}

/** Tells whether the detector is processing an earlier version of the file. */
export async function isEarlierAtDetector(sql: Sql, imageId: number, first: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (
      select from jobs j
      where j.queue = 'detect'
        and j.subject = any (${before(sql, imageId, first)}::text[])
        and j.status = 'running'
    ) as found
  `;
  return row.found;
}

/** Removes the dead letters of the versions of files before entries that were processed. */
export async function removeEarlierDeadLetters(sql: Sql, files: readonly Continued[], now: Date): Promise<void> {
  await sql`
    with earlier as materialized (
      select e.image_id, f.reason, f.detail
      from ${continuedRows(sql, files)}
      cross join lateral unnest(${before(sql, sql`f.image_id`, sql`f.first`)}) as e (image_id)
    ),
    dead as materialized (
      select j.job_id, j.subject::bigint as image_id
      from jobs j
      where j.queue = 'detect'
        and j.subject = any (array(select e.image_id::text from earlier e))
        and j.status = 'dead'
      order by j.job_id
      for update
    ),
    gone as (
      delete from jobs j
      where j.job_id = any (array(select d.job_id from dead d))
    )
    update images i
    set status = 'skipped', reason = e.reason, detail = e.detail, finished_at = ${now}
    from earlier e
    join dead d on d.image_id = e.image_id
    where i.image_id = e.image_id
  `;
}

/** The later versions as rows `f`, with the outcome of earlier ones. */
const continuedRows = (sql: Sql, files: readonly Continued[]) => sql`
  unnest(
    ${files.map(({ imageId }) => imageId)}::bigint[],
    ${files.map(({ first }) => first)}::bigint[],
    ${files.map(({ imageId }) => replacedBy(imageId).reason)}::text[],
    ${files.map(({ imageId }) => replacedBy(imageId).detail)}::text[]
  ) with ordinality as f (image_id, first, reason, detail, at)
`;

/** Tells whether a later version of the file has an entry. */
export async function hasLaterVersion(sql: Sql, { imageId, first }: Continued): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (select from images i where i.continues = ${first} and i.image_id > ${imageId}) as found
  `;
  return row.found;
}

/** Marks the earlier versions without detections as replaced, and counts the detections of the others. */
export async function markReplaced(sql: Sql, imageId: number, first: number): Promise<void> {
  const { reason, detail } = replacedBy(imageId);
  await sql`
    update images i
    set status = case when c.count = 0 then 'skipped' else i.status end, reason = case when c.count = 0 then ${reason} else i.reason end,
      detail = case when c.count = 0 then ${detail} else i.detail end, detection_count = c.count
    from unnest(${before(sql, imageId, first)}::bigint[]) as e (image_id)
    cross join lateral (
      select count(*)::integer as count
      from detections d
      where d.image_id = e.image_id
    ) c
    where i.image_id = e.image_id
      and i.status = 'processed'
  `;
}

/** A version of a file that goes on from the first one. */
export interface Continued {
  readonly imageId: number;
  readonly first: number;
}

/** A detection of an earlier version of a file. */
export interface EarlierDetection {
  /** Index of the later version in the input. */
  readonly of: number;
  readonly id: number;
  readonly batchId: string | null;
  readonly eventId: number | null;
  readonly videoOffsetSeconds: number | null;
  readonly objectType: string;
  readonly confidence: number;
  readonly x: number | null;
  readonly y: number | null;
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * Locks and returns the detections of the earlier versions of files. The caller holds the lock of the batches of their cameras. One
 * statement for all files keeps the order of the locks.
 */
export async function lockEarlierDetections(sql: Sql, files: readonly Continued[]): Promise<readonly EarlierDetection[]> {
  return await sql<EarlierDetection[]>`
    with earlier as materialized (
      select e.image_id, (f.at - 1)::integer as at
      from ${continuedRows(sql, files)}
      cross join lateral unnest(${before(sql, sql`f.image_id`, sql`f.first`)}) as e (image_id)
    )
    select (select e.at from earlier e where e.image_id = d.image_id limit 1) as of, d.detection_id as id, d.batch_id as "batchId",
      d.event_id as "eventId", d.video_offset_seconds as "videoOffsetSeconds", d.object_type as "objectType", d.confidence,
      d.bbox_x as x, d.bbox_y as y, d.bbox_width as width, d.bbox_height as height
    from detections d
    where d.image_id = any (array(select e.image_id from earlier e))
    order by d.detection_id
    for update of d
  `;
}
