import { advisoryLocks, type Sql } from "../../platform/database/database.ts";

/** Locks the baselines of a camera against learning and deletion until the end of the transaction. */
export async function lockBaselinesOf(sql: Sql, cameraId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.baselines}, hashtext(${cameraId}))`;
}

/** An hour, and its current minute. */
export interface RunningMinute {
  readonly start: Date;
  readonly end: Date;
  /** 0 to 59. */
  readonly minute: number;
}

/** Records this minute as watched for every live camera with a readable folder, a usable picture and an upload since `seenSince`. */
export async function noteObserved(sql: Sql, { start, end, minute }: RunningMinute, seenSince: Date): Promise<void> {
  await sql`
    insert into observed_hours as o (camera_id, started_at, ended_at, minutes)
    select c.camera_id, ${start}::timestamptz, ${end}::timestamptz, 1::bigint << ${minute}::int
    from cameras c
    where c.deleted_at is null
      and c.status <> 'error'
      and c.last_seen_at >= ${seenSince}
      and not exists (
        select from camera_incidents i
        where i.camera_id = c.camera_id
          and i.ended_at is null
          and i.cause in ('black', 'frozen')
      )
    order by c.camera_id
    on conflict (camera_id, started_at) do update
    set minutes = o.minutes | excluded.minutes
    where o.minutes & excluded.minutes = 0
  `;
}

/** A past hour of a camera that was not learned yet. */
export interface ObservedHour {
  readonly cameraId: string;
  readonly start: Date;
  readonly end: Date;
  /** Minutes of it that were watched; none if it must not be learned. */
  readonly minutes: number;
}

/** An hour that is due; `waits` if some of its pictures could not be processed. */
export interface DueHour extends ObservedHour {
  readonly waits: boolean;
}

/** Returns the oldest hours that ended before `endedBefore` with all pictures processed, or that ended before `overdueBefore`. */
export async function dueHours(sql: Sql, endedBefore: Date, overdueBefore: Date, limit: number): Promise<readonly DueHour[]> {
  return await sql<DueHour[]>`
    select o.camera_id as "cameraId", o.started_at as start, o.ended_at as "end", ${minutesOf(sql)} as minutes, w.waits
    from observed_hours o
    cross join lateral (
      select exists (
        select from images i
        where i.camera_id = o.camera_id
          and i.status in ('pending', 'deferred')
          and i.taken_at >= o.started_at
          and i.taken_at < o.ended_at
      ) as waits
    ) w
    where o.ended_at <= ${endedBefore}
      and (o.ended_at <= ${overdueBefore} or not w.waits)
    order by o.ended_at, o.camera_id
    limit ${limit}
  `;
}

/** Claims an hour, so that it is learned once. Returns undefined if another process did. */
export async function takeHour(sql: Sql, { cameraId, start }: ObservedHour): Promise<ObservedHour | undefined> {
  const [row] = await sql<[ObservedHour?]>`
    delete from observed_hours o
    where o.camera_id = ${cameraId}
      and o.started_at = ${start}
    returning o.camera_id as "cameraId", o.started_at as start, o.ended_at as "end", ${minutesOf(sql)} as minutes
  `;
  return row;
}

/** Discards the observation until now: past hours are dropped, and the running one will not count. */
export async function discardHours(sql: Sql, cameraId: string, running: Pick<RunningMinute, "start" | "end">): Promise<void> {
  await sql`
    with gone as (
      delete from observed_hours o
      where o.camera_id = ${cameraId}
        and o.started_at <> ${running.start}
    )
    insert into observed_hours (camera_id, started_at, ended_at, minutes, spoiled)
    values (${cameraId}, ${running.start}, ${running.end}, 0, true)
    on conflict (camera_id, started_at) do update
    set spoiled = true
  `;
}

const minutesOf = (sql: Sql) => sql`(case when o.spoiled then 0 else bit_count(o.minutes::bit(64)) end)::int`;
