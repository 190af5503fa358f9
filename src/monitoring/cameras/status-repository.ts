import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import type { Camera, CameraStatus } from "./camera.ts";
import { columns as recordColumns } from "./cameras-repository.ts";

/** A camera with the reason of its status, and its status before the statement. */
export interface StatusChange {
  readonly camera: Camera;
  readonly reason: string | null;
  readonly previous: CameraStatus;
}

type Row = Camera & { readonly status_reason: string | null; readonly previous_status: CameraStatus };

const columns = (sql: Sql) => sql`
  ${recordColumns(sql)}, c.status_reason, b.status as previous_status
`;

const changeOf = ({ previous_status: previous, status_reason: reason, ...camera }: Row): StatusChange => ({ camera, reason, previous });

/** The open silence of camera `b`; there is at most one. */
const openSilence = (sql: Sql) => sql`
  camera_incidents i on i.camera_id = b.camera_id and i.cause = 'silent' and i.ended_at is null
`;

/** The camera before the statement, locked so that the statement changes this very row. */
const before = (sql: Sql, condition: SqlFragment) => sql`
  (
    select o.camera_id, o.status, o.updated_at
    from cameras o
    where o.deleted_at is null and ${condition}
    order by o.camera_id
    for no key update
  ) b
`;

/**
 * Records that a camera was seen. It goes online unless it fell silent after the picture was taken: an old picture from a backlog does
 * not bring it back. Returns the camera, or undefined if nothing changed.
 */
export async function noteSeen(sql: Sql, cameraId: string, at: Date): Promise<StatusChange | undefined> {
  const [row] = await sql<[Row?]>`
    update cameras c
    set last_seen_at = greatest(c.last_seen_at, ${at}),
      status = s.status,
      status_reason = case when s.status = 'online' then null else coalesce(i.reason, c.status_reason) end,
      updated_at = case when s.status = b.status then c.updated_at else greatest(c.updated_at, ${at}) end
    from ${before(sql, sql`o.camera_id = ${cameraId}`)}
    left join ${openSilence(sql)}
    cross join lateral (
      select case
        when b.status = 'offline' and coalesce(i.opened_at, b.updated_at) >= ${at} then 'offline'
        when b.status = 'error' and i.opened_at >= ${at} then 'offline'
        else 'online'
      end as status
    ) s
    where c.camera_id = b.camera_id
      and (c.last_seen_at is null or c.last_seen_at < ${at} or c.status <> s.status)
    returning ${columns(sql)}
  `;
  return row && changeOf(row);
}

/** Sets online cameras offline with a reason, unless a picture has arrived since they were checked. Returns the changed cameras. */
export async function noteSilent(
  sql: Sql,
  silent: readonly { readonly cameraId: string; readonly lastSeenAt: Date | null; readonly reason: string }[],
  now: Date,
): Promise<readonly StatusChange[]> {
  const given = sql`
    unnest(
      ${silent.map(({ cameraId }) => cameraId)}::text[],
      ${silent.map(({ lastSeenAt }) => lastSeenAt?.toISOString() ?? null)}::text[]::timestamptz[],
      ${silent.map(({ reason }) => reason)}::text[]
    ) as s (camera_id, last_seen_at, reason)
  `;
  const stillSilent = sql`
    o.status = 'online'
    and exists (select from ${given} where s.camera_id = o.camera_id and date_trunc('milliseconds', o.last_seen_at) is not distinct from s.last_seen_at)
  `;
  const rows = await sql<Row[]>`
    update cameras c
    set status = 'offline', status_reason = (select s.reason from ${given} where s.camera_id = c.camera_id), updated_at = ${now}
    from ${before(sql, stillSilent)}
    where c.camera_id = b.camera_id
    returning ${columns(sql)}
  `;
  return rows.map(changeOf);
}

/** Sets a camera to `error` with a reason. Returns it, or undefined if it already was. */
export async function noteError(sql: Sql, cameraId: string, reason: string, now: Date): Promise<StatusChange | undefined> {
  const [row] = await sql<[Row?]>`
    update cameras c
    set status = 'error', status_reason = ${reason}, updated_at = ${now}
    from ${before(sql, sql`o.camera_id = ${cameraId} and (o.status <> 'error' or o.status_reason is distinct from ${reason})`)}
    where c.camera_id = b.camera_id
    returning ${columns(sql)}
  `;
  return row && changeOf(row);
}

/** Clears the status `error` of a camera: one that was silent before is silent again. Returns it, or undefined if it had another status. */
export async function noteErrorOver(sql: Sql, cameraId: string, now: Date): Promise<StatusChange | undefined> {
  const [row] = await sql<[Row?]>`
    update cameras c
    set status = case when i.incident_id is not null then 'offline' when c.last_seen_at is null then 'unknown' else 'online' end,
      status_reason = i.reason,
      updated_at = ${now}
    from ${before(sql, sql`o.camera_id = ${cameraId} and o.status = 'error'`)}
    left join ${openSilence(sql)}
    where c.camera_id = b.camera_id
    returning ${columns(sql)}
  `;
  return row && changeOf(row);
}

/** Moves times in the future to now after the clock was set back, so that later times count as newer. */
export async function clampFutureTimes(sql: Sql, now: Date): Promise<void> {
  await sql`
    update cameras c
    set last_seen_at = least(c.last_seen_at, ${now}), updated_at = least(c.updated_at, ${now})
    from ${before(sql, sql`(o.last_seen_at > ${now} or o.updated_at > ${now})`)}
    where c.camera_id = b.camera_id
  `;
}
