import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import type { Silence } from "./silence.ts";

/** Columns of a silence as in its record, for `silences s` joined with `cameras c`. */
const columns = (sql: Sql, now: Date) => sql`
  s.silence_id as id, s.camera_id, c.name as camera_name, s.rule_id, s.rule_name, s.reason,
  case when ${isActive(sql, now)} then 'active' else 'ended' end as status,
  s.created_at, s.ends_at, s.created_by, s.ended_by,
  -- what is over by its time has ended then, whether or not somebody has taken that up
  coalesce(s.ended_at, case when s.ends_at <= ${now}::timestamptz then s.ends_at end) as ended_at,
  (select count(*) from silenced_alerts h where h.silence_id = s.silence_id) as held_back
`;

const isActive = (sql: Sql, now: Date) => sql`(s.ended_at is null and s.ends_at > ${now}::timestamptz)`;

/** A new silence. */
export interface NewSilence {
  readonly id: string;
  readonly cameraId: string | null;
  readonly rule: { readonly id: string; readonly name: string } | null;
  readonly reason: string;
  readonly endsAt: Date;
  /** Name of the key or session that asks for it. */
  readonly by: string | undefined;
}

/** Stores a silence and returns its record. */
export async function insertSilence(sql: Sql, silence: NewSilence, now: Date): Promise<Silence> {
  const [row] = await sql<[Silence]>`
    with s as (
      insert into silences (silence_id, camera_id, rule_id, rule_name, reason, created_at, ends_at, created_by)
      values (${silence.id}, ${silence.cameraId}, ${silence.rule?.id ?? null}, ${silence.rule?.name ?? null}, ${silence.reason}, ${now},
        ${silence.endsAt}, ${silence.by ?? null})
      returning silence_id, camera_id, rule_id, rule_name, reason, created_at, ends_at, ended_at, created_by, ended_by
    )
    select ${columns(sql, now)}
    from s
    left join cameras c on c.camera_id = s.camera_id
  `;
  return row;
}

/** Finds a silence by its UUID; undefined if there is none. */
export async function findSilence(sql: Sql, id: string, now: Date): Promise<Silence | undefined> {
  const [row] = await sql<[Silence?]>`
    select ${columns(sql, now)}
    from silences s
    left join cameras c on c.camera_id = s.camera_id
    where s.silence_id = ${id}
  `;
  return row;
}

/** Returns at most `limit` silences that are active at this time, the first to end first. */
export async function activeSilences(sql: Sql, now: Date, limit: number): Promise<readonly Silence[]> {
  return await sql<Silence[]>`
    select ${columns(sql, now)}
    from silences s
    left join cameras c on c.camera_id = s.camera_id
    where s.told_at is null
      and ${isActive(sql, now)}
    order by s.ends_at, s.silence_id
    limit ${limit}
  `;
}

/** Returns at most `limit` silences that muted alerts of a camera at some time in a range, both ends included, oldest first. */
export async function silencesBetween(
  sql: Sql,
  { cameraId, from, to, limit }: { readonly cameraId: string; readonly from: Date; readonly to: Date; readonly limit: number },
  now: Date,
): Promise<readonly Silence[]> {
  return await sql<Silence[]>`
    select ${columns(sql, now)}
    from silences s
    left join cameras c on c.camera_id = s.camera_id
    where (s.camera_id is null or s.camera_id = ${cameraId})
      and s.created_at <= ${to}
      and coalesce(s.ended_at, s.ends_at) > ${from}
    order by s.created_at, s.silence_id
    limit ${limit}
  `;
}

const statusCondition = (sql: Sql, status: Silence["status"] | undefined, now: Date) => {
  if (status === undefined) return sql``;
  return status === "active" ? sql`and ${isActive(sql, now)}` : sql`and not ${isActive(sql, now)}`;
};

/** Returns a page of the silence list, newest first, each silence with its sort key. */
export async function listSilences(
  sql: Sql,
  { status, after, offset, limit }: Slice<TimeKey<string>> & { readonly status: Silence["status"] | undefined },
  now: Date,
): Promise<readonly Keyed<Silence, TimeKey<string>>[]> {
  const rows = await sql<(Silence & { sort_time: string })[]>`
    select ${columns(sql, now)}, ${keyInstant(sql, sql`s.created_at`)} as sort_time
    from silences s
    left join cameras c on c.camera_id = s.camera_id
    where true
      ${statusCondition(sql, status, now)}
      ${follows(sql, sql`s.created_at, s.silence_id`, after)}
    order by s.created_at desc, s.silence_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the silences that match exactly. */
export async function countSilences(sql: Sql, status: Silence["status"] | undefined, now: Date): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from silences s
    where true
      ${statusCondition(sql, status, now)}
  `;
  return row.count;
}

/** Ends an active silence. Waits for transactions that are muting something under it. Returns whether it was active. */
export async function endActive(sql: Sql, id: string, by: string | undefined, now: Date): Promise<boolean> {
  const ended = await sql`
    update silences s
    set ended_at = ${now}, ended_by = ${by ?? null}
    where s.silence_id = ${id}
      and ${isActive(sql, now)}
  `;
  return ended.count > 0;
}
