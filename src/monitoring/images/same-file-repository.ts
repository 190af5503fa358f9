import type { Sql } from "../../platform/database/database.ts";
import { fullPath, hasPrefix, storedPrefix } from "../../platform/database/stored-paths.ts";

/** Earlier ledger entries of a file, under this or another name. */
export interface EarlierEntries {
  /** The same content was processed under the same path. */
  readonly isReupload: boolean;
  /** Processed paths with the same content and time. */
  readonly seenAt: readonly string[];
  /** Paths of earlier entries that the detector is processing now: this path, and others with the same content and time. */
  readonly atDetector: readonly string[];
}

/** Returns the earlier entries of files that may be the same. */
export async function earlierEntries(sql: Sql, imageId: number): Promise<EarlierEntries> {
  const isSeen = sql`(i.status = 'processed' or i.reason in ('reupload', 'moved'))`;
  const [row] = await sql<[EarlierEntries?]>`
    with at_detector as materialized (
      -- these are few, so that all goes from them to their entries: one content may have thousands, and a new table no statistics
      select case when j.queue = 'detect' then j.subject::bigint end as image_id
      from jobs j
      where j.status = 'running'
    )
    select
      exists (
        -- "is not distinct from" keeps the lookup on the path: some cameras send the same content under thousands of names
        select from images i
        where i.camera_id = e.camera_id
          and i.path = e.path
          and i.size_bytes = e.size_bytes
          and i.sha256 is not distinct from e.sha256
          and i.image_id < e.image_id
          and ${isSeen}
      ) as "isReupload",
      array(
        select ${fullPath(sql, sql`i.path`)}
        from images i
        where i.camera_id = e.camera_id
          and i.sha256 = e.sha256
          and i.modified_ns = e.modified_ns
          and i.path <> e.path
          and i.image_id < e.image_id
          and ${isSeen}
        limit 10
      ) as "seenAt",
      array(
        select ${fullPath(sql, sql`i.path`)}
        from at_detector d
        cross join lateral (select * from images where image_id = d.image_id offset 0) i
        where i.camera_id = e.camera_id
          and i.sha256 = e.sha256
          and (i.path = e.path or i.modified_ns = e.modified_ns)
          and i.image_id < e.image_id
      ) as "atDetector"
    from images e
    where e.image_id = ${imageId}
      and e.sha256 is not null
  `;
  return row ?? { isReupload: false, seenAt: [], atDetector: [] };
}

/** Returns the newest path that has a later entry with the same content: at another time, or with the same time under another name. */
export async function laterPath(sql: Sql, imageId: number): Promise<string | undefined> {
  const [row] = await sql<[{ path: string }?]>`
    select ${fullPath(sql, sql`i.path`)} as path
    from images e
    join images i on i.camera_id = e.camera_id and i.sha256 = e.sha256 and i.image_id > e.image_id
    where e.image_id = ${imageId}
      and (i.path = e.path or i.modified_ns = e.modified_ns)
    order by i.image_id desc
    limit 1
  `;
  return row?.path;
}

/** An entry of the file `imageId` that belongs to another camera. */
export interface EntryElsewhere {
  readonly imageId: number;
  readonly cameraId: string;
  /** The folder of that camera. */
  readonly folder: string;
  readonly path: string;
  /** It is the very same path. */
  readonly isSamePath: boolean;
}

/**
 * Returns, for new entries, those whose file another camera, deleted or not, has processed: under the same path below its own folder, or
 * under this very path when the folder was its own. The caller must check whether that folder is gone. Limited to cameras that are at
 * most a week old, as a camera is that took over another one's folder: each picture costs one lookup per other camera.
 */
export async function entriesElsewhere(sql: Sql, imageIds: readonly number[], now: Date): Promise<readonly EntryElsewhere[]> {
  return await sql<EntryElsewhere[]>`
    select e.image_id as "imageId", o.camera_id as "cameraId", ${fullPath(sql, sql`o.folder_path`)} as folder, ${fullPath(sql, sql`i.path`)} as path,
      i.path = e.path as "isSamePath"
    from images e
    join cameras c on c.camera_id = e.camera_id
    join cameras o on o.camera_id <> e.camera_id
    cross join lateral (select ${storedPrefix(sql, sql`c.folder_path`)} as own, ${storedPrefix(sql, sql`o.folder_path`)} as other) p
    cross join lateral (
      -- "is not distinct from" keeps the lookup on the path: some cameras send the same content under thousands of names
      select i.path
      from images i
      where i.camera_id = o.camera_id
        and i.path in (e.path, p.other || substr(e.path, length(p.own) + 1))
        and i.size_bytes = e.size_bytes
        and i.modified_ns = e.modified_ns
        and i.sha256 is not distinct from e.sha256
        and (i.status = 'processed' or i.reason in ('reupload', 'moved'))
      limit 1
    ) i
    where e.image_id = any (${[...imageIds]}::bigint[])
      and e.sha256 is not null
      and ${hasPrefix(sql, sql`e.path`, sql`p.own`)}
      and c.created_at > ${now}::timestamptz - interval '7 days'
  `;
}
