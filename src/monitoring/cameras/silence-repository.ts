import type { Sql } from "../../platform/database/database.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";

/** An online camera without a recent picture. */
export interface QuietCamera {
  readonly cameraId: string;
  readonly folderPath: string;
  /** Null for an online camera without any picture. */
  readonly lastSeenAt: Date | null;
  /** Time of its newest picture, or of its last change if that is later: a restore, a readable folder, a status set by a person. */
  readonly heardSince: Date;
  /** Number of silences since a given time that ended without intervention. */
  readonly falseAlarms: number;
}

/** Returns the online cameras that were last seen and changed before a time, with their ended silences since another time. */
export async function quietCameras(sql: Sql, since: Date, countedSince: Date): Promise<readonly QuietCamera[]> {
  return await sql<QuietCamera[]>`
    select c.camera_id as "cameraId", ${fullPath(sql, sql`c.folder_path`)} as "folderPath", c.last_seen_at as "lastSeenAt",
      greatest(c.last_seen_at, c.updated_at) as "heardSince", (
      select count(*)
      from camera_incidents i
      where i.camera_id = c.camera_id
        and i.cause = 'silent'
        and i.opened_at >= ${countedSince}
        and i.ended_at is not null
    ) as "falseAlarms"
    from cameras c
    where c.status = 'online'
      and c.deleted_at is null
      and greatest(c.last_seen_at, c.updated_at) < ${since}
    order by c.camera_id
  `;
}

/**
 * Returns the milliseconds between the newest pictures of a camera up to a time, the newest gap first. A second name of a picture, such
 * as a link to the newest one, does not count as a picture; the same file uploaded again does.
 */
export async function gapsBetweenPictures(sql: Sql, cameraId: string, until: Date, most: number): Promise<readonly number[]> {
  const rows = await sql<{ takenAt: Date }[]>`
    select i.taken_at as "takenAt"
    from images i
    where i.camera_id = ${cameraId}
      and i.taken_at <= ${until}
      and i.reason is distinct from 'moved'
    order by i.taken_at desc, i.image_id desc
    limit ${most + 1}
  `;
  return rows.slice(1).map(({ takenAt }, index) => (rows[index]?.takenAt.getTime() ?? 0) - takenAt.getTime());
}
