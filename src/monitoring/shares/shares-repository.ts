import type { z } from "zod";
import type { Share as ShareSchema } from "../../contract/routes/shares.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";

/** A share as the API shows it. */
export type Share = z.output<typeof ShareSchema>;

/** A share works until it is revoked, ends, or its event is deleted. */
const isActive = (sql: Sql, now: Date) => sql`
  (s.ended_at is null and s.expires_at > ${now}::timestamptz
    and exists (select from events e where e.event_id = s.event_id and e.deleted_at is null))
`;

/** Columns of a record, for `shares s`. */
const columns = (sql: Sql, now: Date) => sql`
  s.share_id as id, s.event_id, case when ${isActive(sql, now)} then 'active' else 'ended' end as status, s.created_by, s.created_at,
  s.expires_at, s.ended_at, s.view_count, s.last_viewed_at
`;

/** A share to store. */
export interface NewShare {
  readonly id: string;
  readonly eventId: number;
  readonly hash: Buffer;
  readonly createdBy: string | null;
  readonly expiresAt: Date;
}

/** Stores a share and returns its record. */
export async function insertShare(sql: Sql, share: NewShare, now: Date): Promise<Share> {
  const [row] = await sql<[Share]>`
    insert into shares as s (share_id, event_id, secret_sha256, created_by, created_at, expires_at)
    values (${share.id}, ${share.eventId}, ${share.hash}, ${share.createdBy}, ${now}, ${share.expiresAt})
    returning ${columns(sql, now)}
  `;
  return row;
}

/** Finds a share by its UUID; undefined if there is none. */
export async function findShare(sql: Sql, id: string, now: Date): Promise<Share | undefined> {
  const [row] = await sql<[Share?]>`
    select ${columns(sql, now)}
    from shares s
    where s.share_id = ${id}
  `;
  return row;
}

/** Finds a share by the hash of its token, ended ones included; undefined if there is none. */
export async function findShareByHash(sql: Sql, hash: Buffer, now: Date): Promise<Share | undefined> {
  const [row] = await sql<[Share?]>`
    select ${columns(sql, now)}
    from shares s
    where s.secret_sha256 = ${hash}
  `;
  return row;
}

/** Counts a view of a share. */
export async function countView(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`
    update shares s
    set view_count = s.view_count + 1, last_viewed_at = ${now}
    where s.share_id = ${id}
  `;
}

/** Revokes an active share, and returns whether there was one. */
export async function endShare(sql: Sql, id: string, now: Date): Promise<boolean> {
  const ended = await sql`
    update shares s
    set ended_at = ${now}
    where s.share_id = ${id} and ${isActive(sql, now)}
  `;
  return ended.count > 0;
}

/** Which shares a list holds; undefined: all. */
export interface ShareFilter {
  readonly status: Share["status"] | undefined;
  readonly event_id: number | undefined;
}

const conditionOf = (sql: Sql, { status, event_id }: ShareFilter, now: Date) => sql`
  true
  ${event_id === undefined ? sql`` : sql`and s.event_id = ${event_id}`}
  ${status === undefined ? sql`` : status === "active" ? sql`and ${isActive(sql, now)}` : sql`and not ${isActive(sql, now)}`}
`;

/** Returns a page of the list of shares, newest first, each with its sort key. */
export async function listShares(
  sql: Sql,
  { after, offset, limit, ...filter }: Slice<TimeKey<string>> & ShareFilter,
  now: Date,
): Promise<readonly Keyed<Share, TimeKey<string>>[]> {
  const rows = await sql<(Share & { sort_time: string })[]>`
    select ${columns(sql, now)}, ${keyInstant(sql, sql`s.created_at`)} as sort_time
    from shares s
    where ${conditionOf(sql, filter, now)}
      ${follows(sql, sql`s.created_at, s.share_id`, after)}
    order by s.created_at desc, s.share_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the shares of a list. */
export async function countShares(sql: Sql, filter: ShareFilter, now: Date): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from shares s
    where ${conditionOf(sql, filter, now)}
  `;
  return row.count;
}
