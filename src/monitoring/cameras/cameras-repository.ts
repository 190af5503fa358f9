import { advisoryLocks, type Sql, type SqlFragment } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { fullPath, storedPath } from "../../platform/database/stored-paths.ts";
import { type Camera, type CameraIdentity, type CameraStatus, noSuchCamera } from "./camera.ts";

/** Columns of a camera's record, for `cameras c`. */
export const columns = (sql: Sql) => sql`
  c.camera_id, c.name, ${fullPath(sql, sql`c.folder_path`)} as folder_path, c.status, c.last_seen_at, c.file_pattern, c.time_zone, c.time_template,
  c.clock_offset_seconds, c.created_at, c.updated_at, c.deleted_at
`;

/** The channel that notifies every process of changed cameras and of their changed logins. */
export const camerasChannel = "homesec_cameras";

/** Notifies every process after the commit that cameras or their logins changed. */
export async function notifyCameras(sql: Sql): Promise<void> {
  await sql`select pg_notify(${camerasChannel}, '')`;
}

/** Finds a camera, deleted or not; undefined if there is none. */
export async function findCamera(sql: Sql, cameraId: string): Promise<Camera | undefined> {
  const [camera] = await sql<[Camera?]>`
    select ${columns(sql)}
    from cameras c
    where c.camera_id = ${cameraId}
  `;
  return camera;
}

/** Returns a camera that is not deleted. Throws `Problem("not_found")` naming its id. */
export async function requireCamera(sql: Sql, cameraId: string): Promise<Camera> {
  const camera = await findCamera(sql, cameraId);
  if (!camera || camera.deleted_at) throw noSuchCamera(cameraId, camera);
  return camera;
}

/** Finds the camera, deleted or not, with this folder; undefined if there is none. */
export async function findCameraByFolder(sql: Sql, folderPath: string): Promise<Camera | undefined> {
  const [camera] = await sql<[Camera?]>`
    select ${columns(sql)}
    from cameras c
    where c.folder_path = ${storedPath(sql, folderPath)}
  `;
  return camera;
}

/**
 * Finds another camera, deleted or not, with this id, name, or folder and file pattern: a match by id first, then by name.
 */
export async function findConflict(sql: Sql, asked: CameraIdentity, exceptId?: string): Promise<Camera | undefined> {
  const isSameFolder = sql`
    c.folder_path = ${storedPath(sql, asked.folder_path)} and coalesce(lower(c.file_pattern), '') = ${asked.file_pattern?.toLowerCase() ?? ""}
  `;
  const [camera] = await sql<[Camera?]>`
    select ${columns(sql)}
    from cameras c
    where (c.camera_id = ${asked.camera_id} or c.name = ${asked.name} or (${isSameFolder}))
      and c.camera_id is distinct from ${exceptId ?? null}::text
    order by c.camera_id = ${asked.camera_id} desc, c.name = ${asked.name} desc
    limit 1
  `;
  return camera;
}

/** Serialises all transactions that assign an id, name or folder to a camera, until the end of the transaction. */
export async function lockIdentities(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.cameraIdentities})`;
}

/** Returns all cameras, deleted ones included. */
export async function allCameras(sql: Sql): Promise<readonly Camera[]> {
  return await sql<Camera[]>`
    select ${columns(sql)}
    from cameras c
    order by c.camera_id
  `;
}

/** Returns all cameras that are not deleted. */
export async function liveCameras(sql: Sql): Promise<readonly Camera[]> {
  return await sql<Camera[]>`
    select ${columns(sql)}
    from cameras c
    where c.deleted_at is null
    order by c.camera_id
  `;
}

/** Returns the reason of a camera's status; null if there is none. */
export async function statusReason(sql: Sql, cameraId: string): Promise<string | null> {
  const [row] = await sql<[{ reason: string | null }?]>`
    select c.status_reason as reason
    from cameras c
    where c.camera_id = ${cameraId}
  `;
  return row?.reason ?? null;
}

export interface NewCamera extends CameraIdentity {
  readonly status: CameraStatus;
  readonly reason: string | null;
  /** Null: the zone of the daemon. */
  readonly time_zone: string | null;
  readonly time_template: string;
}

/** Stores a camera and returns its record. */
export async function insertCamera(sql: Sql, camera: NewCamera, now: Date): Promise<Camera> {
  const [row] = await sql<[Camera]>`
    insert into cameras as c (camera_id, name, folder_path, status, status_reason, file_pattern, time_zone, time_template, created_at, updated_at)
    values (${camera.camera_id}, ${camera.name}, ${storedPath(sql, camera.folder_path)}, ${camera.status}, ${camera.reason}, ${camera.file_pattern}, ${camera.time_zone},
      ${camera.time_template}, ${now}, ${now})
    returning ${columns(sql)}
  `;
  return row;
}

/** Changed fields of a camera. */
export interface CameraChange {
  readonly name: string;
  readonly folder_path: string;
  readonly status: CameraStatus;
  readonly reason: string | null;
  readonly file_pattern: string | null;
  readonly time_zone: string | null;
  readonly time_template: string;
}

/**
 * Stores the changed fields of a camera and returns its record. Once its times are read in another way, the offset of its clock is unknown
 * until new pictures tell it.
 */
export async function updateCamera(sql: Sql, cameraId: string, change: CameraChange, now: Date): Promise<Camera> {
  const isRead = sql`(c.time_zone, c.time_template) is not distinct from (${change.time_zone}::text, ${change.time_template}::text)`;
  const [row] = await sql<[Camera]>`
    update cameras c
    set name = ${change.name}, folder_path = ${storedPath(sql, change.folder_path)}, status = ${change.status}, status_reason = ${change.reason}, updated_at = ${now},
      file_pattern = ${change.file_pattern}, time_zone = ${change.time_zone}, time_template = ${change.time_template},
      clock_since = case when ${isRead} then c.clock_since else ${now}::timestamptz end,
      clock_offset_seconds = case when ${isRead} then c.clock_offset_seconds end
    where c.camera_id = ${cameraId}
    returning ${columns(sql)}
  `;
  return row;
}

/** Locks a camera for a change until the end of the transaction and returns it with the reason of its status. */
export async function lockCamera(sql: Sql, cameraId: string): Promise<(Camera & { readonly status_reason: string | null }) | undefined> {
  const [row] = await sql<[(Camera & { status_reason: string | null })?]>`
    select ${columns(sql)}, c.status_reason
    from cameras c
    where c.camera_id = ${cameraId}
    for no key update
  `;
  return row;
}

/** Soft-deletes a camera and returns its record. */
export async function deleteCamera(sql: Sql, cameraId: string, now: Date): Promise<Camera> {
  const [row] = await sql<[Camera]>`
    update cameras c
    set deleted_at = ${now}, updated_at = ${now}
    where c.camera_id = ${cameraId}
    returning ${columns(sql)}
  `;
  return row;
}

/** Restores a camera and returns its record: with status `error` if there is a reason, else `unknown`. */
export async function restoreCamera(sql: Sql, cameraId: string, reason: string | null, now: Date): Promise<Camera> {
  const [row] = await sql<[Camera]>`
    update cameras c
    set deleted_at = null, status = ${reason === null ? "unknown" : "error"}, status_reason = ${reason}, updated_at = ${now}
    where c.camera_id = ${cameraId}
    returning ${columns(sql)}
  `;
  return row;
}

/** Filters of the list of cameras. */
export interface CameraFilter {
  readonly status: CameraStatus | undefined;
  /** Only these; undefined: all. */
  readonly cameraIds: readonly string[] | undefined;
}

const filterConditions = (sql: Sql, { status, cameraIds }: CameraFilter) => sql`
  ${status ? sql`and c.status = ${status}` : sql``}
  ${cameraIds ? sql`and c.camera_id = any (${[...cameraIds]}::text[])` : sql``}
`;

/** Returns a page of the cameras that are not deleted, by id, each with its sort key. */
export async function listCameras(
  sql: Sql,
  filter: CameraFilter,
  { after, offset, limit }: Slice<readonly [cameraId: string]>,
): Promise<readonly Keyed<Camera, readonly [cameraId: string]>[]> {
  const rows = await sql<Camera[]>`
    select ${columns(sql)}
    from cameras c
    where c.deleted_at is null
      ${filterConditions(sql, filter)}
      ${after ? sql`and c.camera_id > ${after[0]}` : sql``}
    order by c.camera_id
    limit ${limit}
    offset ${offset}
  `;
  return rows.map((record) => ({ record, key: [record.camera_id] }));
}

/** Counts the cameras of a list that are not deleted. */
export async function countCameras(sql: Sql, filter: CameraFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from cameras c
    where c.deleted_at is null
      ${filterConditions(sql, filter)}
  `;
  return row.count;
}

/** Returns a page of the deleted cameras, the last deleted first, each with its sort key. */
export async function listDeletedCameras(
  sql: Sql,
  { after, offset, limit }: Slice<TimeKey<string>>,
): Promise<readonly Keyed<Camera, TimeKey<string>>[]> {
  const rows = await sql<(Camera & { sort_time: string })[]>`
    select ${columns(sql)}, ${keyInstant(sql, sql`c.deleted_at`)} as sort_time
    from cameras c
    where c.deleted_at is not null
      ${follows(sql, sql`c.deleted_at, c.camera_id`, after)}
    order by c.deleted_at desc, c.camera_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.camera_id] }));
}

/** Counts the deleted cameras. */
export async function countDeletedCameras(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from cameras c
    where c.deleted_at is not null
  `;
  return row.count;
}

/** The private zones of a camera as stored: literals of their corners. Empty: the whole picture may leave. */
export type PrivateParts = readonly string[];

/** Selects the private zones of the camera with this id. */
export const privatePartsOf = (sql: Sql, cameraId: SqlFragment) => sql`
  array(
    select z.points
    from camera_zones z
    where z.camera_id = ${cameraId}
      and z.is_private
    order by z.name
  )
`;
