import type { z } from "zod";
import type { ReceiverProtocol } from "../../contract/constants.ts";
import type { DeliveryFault as FaultSchema, CameraLogin as LoginSchema } from "../../contract/routes/receivers.ts";
import type { Sql } from "../../platform/database/database.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";
import { notifyCameras } from "../cameras/cameras-repository.ts";
import type { MailRule } from "./mail-rules.ts";
import type { DeliveryCamera, KnownCamera } from "./taker.ts";

/** A login as the API shows it, without its password. */
export type CameraLogin = z.output<typeof LoginSchema>;
/** A fault of a delivery as the API shows it. */
export type DeliveryFault = z.output<typeof FaultSchema>;

/** The rules of a login for mail, in their order, as JSON; for `camera_logins l`. */
const mailRules = (sql: Sql) => sql`
  coalesce(
    (
      select json_agg(json_build_object('field', r.field, 'pattern', r.pattern, 'camera_id', r.camera_id) order by r.position)
      from mail_rules r
      where r.login_camera_id = l.camera_id and r.protocol = l.protocol
    ),
    '[]'
  )
`;

const columns = (sql: Sql) => sql`
  l.camera_id, l.protocol, l.username, l.created_at, l.last_connected_at, l.last_delivery_at, l.file_count::float8 as file_count,
  ${mailRules(sql)} as mail_rules, l.unmatched_camera_id
`;

/** Returns the logins of a camera, or of all cameras that are not deleted, in order of camera and protocol. */
export async function listLogins(sql: Sql, cameraId: string | undefined): Promise<readonly CameraLogin[]> {
  return await sql<CameraLogin[]>`
    select ${columns(sql)}
    from camera_logins l
    join cameras c on c.camera_id = l.camera_id and c.deleted_at is null
    where true
      ${cameraId === undefined ? sql`` : sql`and l.camera_id = ${cameraId}`}
    order by l.camera_id, l.protocol
  `;
}

/** Returns the camera that has this user name for a protocol; undefined if there is none. */
export async function ownerOfUsername(sql: Sql, protocol: ReceiverProtocol, username: string): Promise<string | undefined> {
  const [row] = await sql<[{ camera_id: string }?]>`
    select l.camera_id
    from camera_logins l
    where l.protocol = ${protocol} and l.username = ${username}
  `;
  return row?.camera_id;
}

/** Stores a login in place of the camera's earlier one for the protocol, and returns it. */
export async function replaceLogin(
  sql: Sql,
  login: { readonly cameraId: string; readonly protocol: ReceiverProtocol; readonly username: string; readonly hash: Buffer },
  now: Date,
): Promise<CameraLogin> {
  const [row] = await sql<[CameraLogin]>`
    insert into camera_logins as l (camera_id, protocol, username, password_sha256, created_at)
    values (${login.cameraId}, ${login.protocol}, ${login.username}, ${login.hash}, ${now})
    on conflict (camera_id, protocol) do update
    set username = excluded.username, password_sha256 = excluded.password_sha256, created_at = excluded.created_at,
      last_connected_at = null, last_delivery_at = null, file_count = 0
    returning ${columns(sql)}
  `;
  await notifyCameras(sql);
  return row;
}

/** Stores the rules of a camera's login for mail in place of earlier ones, and returns it; undefined if there is none. */
export async function replaceMailRules(
  sql: Sql,
  cameraId: string,
  rules: readonly MailRule[],
  unmatchedCameraId: string | null,
): Promise<CameraLogin | undefined> {
  const updated = await sql`
    update camera_logins l
    set unmatched_camera_id = ${unmatchedCameraId}
    where l.camera_id = ${cameraId} and l.protocol = 'mail'
  `;
  if (updated.count === 0) return undefined;
  await sql`delete from mail_rules r where r.login_camera_id = ${cameraId}`;
  await sql`
    insert into mail_rules (login_camera_id, position, field, pattern, camera_id)
    select ${cameraId}, n.position, n.field, n.pattern, n.camera_id
    from unnest(
      ${rules.map((_, at) => at + 1)}::int[], ${rules.map(({ field }) => field)}::text[],
      ${rules.map(({ pattern }) => pattern)}::text[], ${rules.map(({ camera_id }) => camera_id)}::text[]
    ) as n (position, field, pattern, camera_id)
  `;
  await notifyCameras(sql);
  const [login] = await sql<[CameraLogin]>`
    select ${columns(sql)}
    from camera_logins l
    where l.camera_id = ${cameraId} and l.protocol = 'mail'
  `;
  return login;
}

/** Deletes a login and returns whether there was one. */
export async function deleteLogin(sql: Sql, cameraId: string, protocol: ReceiverProtocol): Promise<boolean> {
  const deleted = await sql`
    delete from camera_logins l
    where l.camera_id = ${cameraId} and l.protocol = ${protocol}
  `;
  if (deleted.count > 0) await notifyCameras(sql);
  return deleted.count > 0;
}

/** The data of a login that a receiver needs to accept a delivery. */
export interface KnownLogin extends DeliveryCamera {
  readonly protocol: ReceiverProtocol;
  readonly username: string;
  /** SHA-256 of the password. */
  readonly hash: Buffer;
  /** Of a recorder: the rules that give its mails to cameras. */
  readonly mailRules: readonly MailRule[];
  /** With rules: the camera that gets the mails that no rule matches; null: they are refused. */
  readonly unmatchedCameraId: string | null;
}

/** Returns the logins of all cameras that are not deleted. */
export async function readKnownLogins(sql: Sql): Promise<readonly KnownLogin[]> {
  return await sql<KnownLogin[]>`
    select l.camera_id as "cameraId", c.name as "cameraName", ${fullPath(sql, sql`c.folder_path`)} as "folderPath", l.protocol, l.username,
      l.password_sha256 as hash, ${mailRules(sql)} as "mailRules", l.unmatched_camera_id as "unmatchedCameraId"
    from camera_logins l
    join cameras c on c.camera_id = l.camera_id and c.deleted_at is null
  `;
}

/** Returns all cameras, deleted ones included, as receivers need them. */
export async function readKnownCameras(sql: Sql): Promise<readonly KnownCamera[]> {
  return await sql<KnownCamera[]>`
    select c.camera_id as "cameraId", c.name as "cameraName", ${fullPath(sql, sql`c.folder_path`)} as "folderPath", c.file_pattern as "filePattern",
      c.deleted_at is not null as deleted
    from cameras c
  `;
}

/** The use of a login since it was last stored. */
export interface LoginUse {
  readonly cameraId: string;
  readonly protocol: ReceiverProtocol;
  readonly connectedAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly files: number;
}

/** Stores the uses of logins. */
export async function storeUses(sql: Sql, uses: readonly LoginUse[]): Promise<void> {
  await sql`
    update camera_logins l
    set last_connected_at = greatest(l.last_connected_at, used.connected_at),
      last_delivery_at = greatest(l.last_delivery_at, used.delivered_at),
      file_count = l.file_count + used.files
    from unnest(
      ${uses.map(({ cameraId }) => cameraId)}::text[], ${uses.map(({ protocol }) => protocol)}::text[],
      ${uses.map(({ connectedAt }) => connectedAt?.toISOString() ?? null)}::text[]::timestamptz[],
      ${uses.map(({ deliveredAt }) => deliveredAt?.toISOString() ?? null)}::text[]::timestamptz[],
      ${uses.map(({ files }) => files)}::int[]
    ) as used (camera_id, protocol, connected_at, delivered_at, files)
    where l.camera_id = used.camera_id and l.protocol = used.protocol
  `;
}

/** Number of faults that are kept, newest first. */
const keptFaults = 500;

/** Stores faults and deletes all but the newest 500. */
export async function storeFaults(sql: Sql, faults: readonly DeliveryFault[]): Promise<void> {
  await sql`
    insert into delivery_faults (occurred_at, protocol, camera_id, username, client, message)
    select f.occurred_at, f.protocol, c.camera_id, f.username, f.client, f.message
    from unnest(
      ${faults.map(({ occurred_at }) => occurred_at.toISOString())}::timestamptz[], ${faults.map(({ protocol }) => protocol)}::text[],
      ${faults.map(({ camera_id }) => camera_id)}::text[], ${faults.map(({ username }) => username)}::text[],
      ${faults.map(({ client }) => client)}::text[], ${faults.map(({ message }) => message)}::text[]
    ) as f (occurred_at, protocol, camera_id, username, client, message)
    left join cameras c on c.camera_id = f.camera_id
  `;
  await sql`
    delete from delivery_faults d
    where d.fault_id <= (select f.fault_id from delivery_faults f order by f.fault_id desc offset ${keptFaults} limit 1)
  `;
}

/** Returns the newest faults since a time, newest first: of one camera and of unknown user names, or of all cameras. */
export async function recentFaults(
  sql: Sql,
  { cameraId, since, limit }: { readonly cameraId: string | undefined; readonly since: Date; readonly limit: number },
): Promise<readonly DeliveryFault[]> {
  return await sql<DeliveryFault[]>`
    select d.occurred_at, d.protocol, d.camera_id, d.username, d.client, d.message
    from delivery_faults d
    where d.occurred_at >= ${since}
      ${cameraId === undefined ? sql`` : sql`and (d.camera_id = ${cameraId} or d.camera_id is null)`}
    order by d.occurred_at desc, d.fault_id desc
    limit ${limit}
  `;
}
