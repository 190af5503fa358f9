import type { Sql } from "../../platform/database/database.ts";

/** A camera that is online and has not been seen for a while. */
export interface QuietCamera {
  readonly cameraId: string;
  readonly folderPath: string;
  /** Null for one that is online without a picture. */
  readonly lastSeenAt: Date | null;
  /** Its newest picture, or its last change when that is later: its restore, its folder that can be read again, a person who calls it online. */
  readonly heardSince: Date;
  /** How often it was called silent since a time although it came back by itself. */
  readonly falseAlarms: number;
}

/** The cameras online that were last seen and changed before a time, with their earlier silences that ended, since another time. */
export async function quietCameras(sql: Sql, since: Date, countedSince: Date): Promise<readonly QuietCamera[]> {
  return await sql<QuietCamera[]>`
    select c.camera_id as "cameraId", c.folder_path as "folderPath", c.last_seen_at as "lastSeenAt",
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
 * Milliseconds between the newest pictures of a camera up to a time, the newest gap first. A second name of a picture, as by a link to the newest one, is no
 * picture of its own; the same file that is sent again is.
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
