import type { Sql } from "../../platform/database/database.ts";
import { fingerprint } from "../../platform/database/fingerprint.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";
import type { Camera } from "./camera.ts";
import { type PrivateParts, privatePartsOf } from "./cameras-repository.ts";

/** A picture in the ledger. */
export interface Picture {
  readonly imageId: number;
  readonly path: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly modifiedNs: bigint;
  /** Differs for each picture, and when the private zones of its camera change. */
  readonly version: string;
  readonly privateParts: PrivateParts;
}

/** Pictures among `images i` that show the view of a camera, including pending and skipped ones. */
const showsView = (sql: Sql) => sql`
  (i.status <> 'skipped' or i.reason in ('refused', 'reupload', 'moved'))
  and i.media_type in ('image/jpeg', 'image/png', 'image/webp')
`;

const version = (sql: Sql) =>
  fingerprint(sql, [
    sql`i.image_id`,
    sql`extract(epoch from i.found_at)`,
    sql`i.path || array_to_string(${privatePartsOf(sql, sql`i.camera_id`)}, '')`,
  ]);

/** Returns at most `limit` newest pictures of a camera, optionally up to a time. */
export async function newestPictures(sql: Sql, cameraId: string, limit: number, until?: Date): Promise<readonly Picture[]> {
  const rows = await sql<(Omit<Picture, "modifiedNs"> & { readonly modifiedNs: string })[]>`
    select i.image_id as "imageId", ${fullPath(sql, sql`i.path`)} as path, i.media_type as "mediaType", i.size_bytes as "sizeBytes",
      i.modified_ns::text as "modifiedNs", ${version(sql)} as version, ${privatePartsOf(sql, sql`i.camera_id`)} as "privateParts"
    from images i
    where i.camera_id = ${cameraId}
      and ${showsView(sql)}
      ${until ? sql`and i.taken_at <= ${until}` : sql``}
    order by i.taken_at desc, i.image_id desc
    limit ${limit}
  `;
  return rows.map((row) => ({ ...row, modifiedNs: BigInt(row.modifiedNs) }));
}

/** Adds to each camera the address of its newest picture up to a time, and the blur hash of the one that was shown last. */
export async function withPreviews(sql: Sql, cameras: Camera[], until: Date): Promise<Camera[]> {
  if (cameras.length === 0) return cameras;
  const rows = await sql<{ id: string; hash: string | null; version: string | null }[]>`
    select c.camera_id as id, c.blur_hash as hash, (
      select ${version(sql)}
      from images i
      where i.camera_id = c.camera_id
        and ${showsView(sql)}
        and i.taken_at <= ${until}
      order by i.taken_at desc, i.image_id desc
      limit 1
    ) as version
    from cameras c
    where c.camera_id = any (${cameras.map(({ camera_id }) => camera_id)}::text[])
  `;
  const found = new Map(rows.map((row) => [row.id, row]));
  return cameras.map((camera) => {
    const { version: newest = null, hash = null } = found.get(camera.camera_id) ?? {};
    const path = `/api/cameras/${encodeURIComponent(camera.camera_id)}/snapshot`;
    return { ...camera, preview_url: newest && `${path}?width=320&v=${newest}`, blur_hash: hash };
  });
}

/** Stores the blur hash of a camera's picture. */
export async function noteSnapshot(sql: Sql, cameraId: string, { imageId }: Picture, blurHash: string): Promise<void> {
  await sql`
    with entry as (
      update images i
      set blur_hash = ${blurHash}
      where i.image_id = ${imageId}
    )
    update cameras c
    set blur_hash = ${blurHash}
    where c.camera_id = ${cameraId}
  `;
}
