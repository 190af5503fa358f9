import type { Sql } from "../../platform/database/database.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";
import type { LedgerPicture } from "./signs.ts";

/** The newest readable picture of a camera. */
export interface NewestPicture {
  readonly cameraId: string;
  readonly imageId: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly takenAt: Date;
}

/** Returns the newest picture of each camera between two times, without videos and unreadable files. */
export async function newestPictures(sql: Sql, since: Date, until: Date): Promise<readonly NewestPicture[]> {
  return await sql<NewestPicture[]>`
    select i.camera_id as "cameraId", i.image_id as "imageId", ${fullPath(sql, sql`i.path`)} as path, i.size_bytes as "sizeBytes", i.taken_at as "takenAt"
    from cameras c
    cross join lateral (
      select n.*
      from images n
      where n.camera_id = c.camera_id
        and n.taken_at between ${since} and ${until}
        and n.media_type like 'image/%'
        and (n.status <> 'skipped' or n.reason in ('reupload', 'moved'))
      order by n.taken_at desc, n.image_id desc
      limit 1
    ) i
    where c.deleted_at is null
    order by c.camera_id
  `;
}

/** Maximum number read per camera. */
const mostPictures = 1_000;

/**
 * Returns a camera's newest ledger entries up to a time, newest first: at least `fewest`, or all of the last `lookBackMs` if those are
 * more.
 */
export async function ledgerPictures(
  sql: Sql,
  cameraId: string,
  { until, fewest, lookBackMs }: { readonly until: Date; readonly fewest: number; readonly lookBackMs: number },
): Promise<readonly LedgerPicture[]> {
  return await sql<LedgerPicture[]>`
    with newest as (
      select i.taken_at
      from images i
      where i.camera_id = ${cameraId}
        and i.taken_at <= ${until}
        and i.media_type like 'image/%'
      order by i.taken_at desc, i.image_id desc
      limit ${fewest}
    )
    select encode(i.sha256, 'hex') as sha256, i.taken_at as "takenAt",
      case when i.found_by = 'watch' then extract(epoch from i.found_at)::float8 * 1000 - i.modified_ns::float8 / 1e6 end as "lagMs"
    from images i
    where i.camera_id = ${cameraId}
      and i.taken_at <= ${until}
      and i.taken_at >= (
        select least(min(n.taken_at), max(n.taken_at) - ${lookBackMs}::float8 * interval '1 millisecond')
        from newest n
      )
      and i.media_type like 'image/%'
    order by i.taken_at desc, i.image_id desc
    limit ${mostPictures}
  `;
}
