import type { z } from "zod";
import type { KeyRole } from "../../contract/constants.ts";
import type { Key as KeySchema } from "../../contract/routes/keys.ts";
import type { Sql } from "../database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../database/keyset.ts";

/** A named key, invitation or session as the API shows it. */
export type Key = z.output<typeof KeySchema>;

/** The channel that notifies every process of a changed key. */
export const keysChannel = "homesec_keys";

const isActive = (sql: Sql, now: Date) => sql`(k.ended_at is null and (k.expires_at is null or k.expires_at > ${now}::timestamptz))`;

/** Columns of a record, for `keys k`. */
const columns = (sql: Sql, now: Date) => sql`
  k.key_id as id, k.kind, k.name, k.role, k.camera_ids, case when ${isActive(sql, now)} then 'active' else 'ended' end as status,
  k.created_at, k.expires_at, k.ended_at, k.last_seen_at, k.device
`;

/** A key to store. */
export interface NewKey {
  readonly id: string;
  readonly kind: Key["kind"];
  readonly name: string;
  readonly role: KeyRole;
  /** Null: all cameras. */
  readonly cameraIds: readonly string[] | null;
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
  readonly device?: string | null;
  /** For a session that began with a key: the signature of the hash of that key, in hexadecimal digits. */
  readonly fromMac?: string | null;
}

/** Stores a key in the caller's transaction, notifies every process after the commit, and returns the record. */
export async function insertKey(sql: Sql, key: NewKey, now: Date): Promise<Key> {
  const [row] = await sql<[Key]>`
    insert into keys as k (key_id, kind, name, role, camera_ids, secret_sha256, created_at, expires_at, device, from_mac)
    values (${key.id}, ${key.kind}, ${key.name}, ${key.role}, ${key.cameraIds === null ? null : [...key.cameraIds]}::text[], ${key.hash},
      ${now}, ${key.expiresAt}, ${key.device ?? null}, decode(${key.fromMac ?? null}, 'hex'))
    returning ${columns(sql, now)}
  `;
  await sql`select pg_notify(${keysChannel}, '')`;
  return row;
}

/** Blocks other writers until the transaction ends, so that a name is checked and given in one step. */
export async function lockKeys(sql: Sql): Promise<void> {
  await sql`lock table keys in share row exclusive mode`;
}

/** Tells whether an active key for programs has this name. */
export async function isNameTaken(sql: Sql, name: string, now: Date): Promise<boolean> {
  const [row] = await sql<[{ taken: boolean }]>`
    select exists (select from keys k where k.kind = 'key' and k.name = ${name} and ${isActive(sql, now)}) as taken
  `;
  return row.taken;
}

/** Ends an active key, notifies every process after the commit, and returns whether there was one. */
export async function endKey(sql: Sql, id: string, now: Date): Promise<boolean> {
  const ended = await sql`
    update keys k
    set ended_at = ${now}
    where k.key_id = ${id} and ${isActive(sql, now)}
  `;
  if (ended.count > 0) await sql`select pg_notify(${keysChannel}, '')`;
  return ended.count > 0;
}

/** Ends the active sessions that began with a key. `macOf` signs the hash of that key. */
export async function endSessionsOf(sql: Sql, keyId: string, macOf: (keyHash: string) => string, now: Date): Promise<void> {
  const [key] = await sql<[{ hash: string }?]>`
    select encode(k.secret_sha256, 'hex') as hash
    from keys k
    where k.key_id = ${keyId} and exists (select from keys s where s.from_mac is not null)
  `;
  if (!key) return;
  await sql`
    update keys k
    set ended_at = ${now}
    where k.from_mac = decode(${macOf(key.hash)}, 'hex') and ${isActive(sql, now)}
  `;
}

/** What an accepted invitation passes on to its session. */
export type Accepted = Pick<KnownKey, "name" | "role" | "cameraIds">;

/** Ends the active invitation with this hash and returns what it grants; undefined if there is none. Of two requests one gets it. */
export async function acceptInvitation(sql: Sql, hash: Buffer, now: Date): Promise<Accepted | undefined> {
  const [row] = await sql<[Accepted?]>`
    update keys k
    set ended_at = ${now}
    where k.kind = 'invitation' and k.secret_sha256 = ${hash} and ${isActive(sql, now)}
    returning k.name, k.role, k.camera_ids as "cameraIds"
  `;
  return row;
}

/** What an invitation grants, and when it ended. */
export type Invitation = Pick<KnownKey, "name" | "role" | "endedAt"> & { readonly expiresAt: Date };

/** Finds an invitation by the hash of its token, ended ones included; undefined if there is none. */
export async function findInvitation(sql: Sql, hash: Buffer): Promise<Invitation | undefined> {
  const [row] = await sql<[Invitation?]>`
    select k.name, k.role, k.ended_at as "endedAt", k.expires_at as "expiresAt"
    from keys k
    where k.kind = 'invitation' and k.secret_sha256 = ${hash}
  `;
  return row;
}

/** Deletes invitations and sessions that ended before a time. Ended keys are kept, so that they stay refused. */
export async function deleteEndedSessions(sql: Sql, before: Date): Promise<void> {
  await sql`
    delete from keys k
    where k.kind <> 'key' and least(k.ended_at, k.expires_at) < ${before}
  `;
}

/** Stores that an active key was used. With `expiresAt`, it is valid until then, and every process is notified. */
export async function storeUse(sql: Sql, id: string, expiresAt: Date | undefined, now: Date): Promise<void> {
  await sql`
    update keys k
    set last_seen_at = ${now}, expires_at = coalesce(${expiresAt ?? null}::timestamptz, k.expires_at)
    where k.key_id = ${id} and ${isActive(sql, now)}
  `;
  if (expiresAt) await sql`select pg_notify(${keysChannel}, '')`;
}

/** Finds a key by its UUID; undefined if there is none. */
export async function findKey(sql: Sql, id: string, now: Date): Promise<Key | undefined> {
  const [row] = await sql<[Key?]>`
    select ${columns(sql, now)}
    from keys k
    where k.key_id = ${id}
  `;
  return row;
}

const statusCondition = (sql: Sql, status: Key["status"] | undefined, now: Date) => {
  if (status === undefined) return sql``;
  return status === "active" ? sql`and ${isActive(sql, now)}` : sql`and not ${isActive(sql, now)}`;
};

/** Returns a page of the list of keys, newest first, each with its sort key. */
export async function listKeys(
  sql: Sql,
  { status, after, offset, limit }: Slice<TimeKey<string>> & { readonly status: Key["status"] | undefined },
  now: Date,
): Promise<readonly Keyed<Key, TimeKey<string>>[]> {
  const rows = await sql<(Key & { sort_time: string })[]>`
    select ${columns(sql, now)}, ${keyInstant(sql, sql`k.created_at`)} as sort_time
    from keys k
    where true
      ${statusCondition(sql, status, now)}
      ${follows(sql, sql`k.created_at, k.key_id`, after)}
    order by k.created_at desc, k.key_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the keys of a list. */
export async function countKeys(sql: Sql, status: Key["status"] | undefined, now: Date): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from keys k
    where true
      ${statusCondition(sql, status, now)}
  `;
  return row.count;
}

/** What a process needs to check the keys of requests. */
export interface KnownKey extends Omit<NewKey, "hash" | "device"> {
  /** SHA-256 of the secret, in hexadecimal digits. */
  readonly hash: string;
  readonly endedAt: Date | null;
  /** For a session that began with a key: the signature of the hash of that key, in hexadecimal digits. Null for others. */
  readonly fromMac: string | null;
}

/** Returns all keys and sessions, ended ones included: a request with an ended key is refused. */
export async function readKnownKeys(sql: Sql): Promise<readonly KnownKey[]> {
  return await sql<KnownKey[]>`
    select k.key_id as id, k.kind, k.name, k.role, k.camera_ids as "cameraIds", encode(k.secret_sha256, 'hex') as hash,
      k.expires_at as "expiresAt", k.ended_at as "endedAt", encode(k.from_mac, 'hex') as "fromMac"
    from keys k
    where k.kind in ('key', 'session')
  `;
}
