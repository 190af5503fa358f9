import type { Sql } from "../engines/database.ts";

/** What the ledger knew of a file before an entry of it was made, under this or another name. */
export interface EarlierEntries {
  /** The same content was looked at under the same path. */
  readonly isReupload: boolean;
  /** Paths with this very content and time that were looked at. */
  readonly seenAt: readonly string[];
  /** Paths of earlier entries at which the detector is looking just now: this one, and others with this very content and time. */
  readonly atDetector: readonly string[];
}

/** The earlier entries of what may be the same file. */
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
        select i.path
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
        select i.path
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

/** The newest path under which the content of an entry was entered again: at another time, or with the same time under another name. */
export async function laterPath(sql: Sql, imageId: number): Promise<string | undefined> {
  const [row] = await sql<[{ path: string }?]>`
    select i.path
    from images e
    join images i on i.camera_id = e.camera_id and i.sha256 = e.sha256 and i.image_id > e.image_id
    where e.image_id = ${imageId}
      and (i.path = e.path or i.modified_ns = e.modified_ns)
    order by i.image_id desc
    limit 1
  `;
  return row?.path;
}
