import type { Sql } from "../../platform/database/database.ts";
import { advisoryLocks } from "../../platform/database/locks.ts";

/** Has everybody who learns or forgets what is usual at a camera wait for each other, until the end of the transaction. */
export async function lockBaselinesOf(sql: Sql, cameraId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.baselines}, hashtext(${cameraId}))`;
}

/** An hour, and the minute of it that is now. */
export interface RunningMinute {
  readonly start: Date;
  readonly end: Date;
  /** 0 to 59. */
  readonly minute: number;
}

/** Notes that every live camera with a readable folder, an eye that sees and a picture since `seenSince` is watched in this minute. */
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

/** An hour of a camera that is over and was not learned from yet. */
export interface ObservedHour {
  readonly cameraId: string;
  readonly start: Date;
  readonly end: Date;
  /** Minutes of it in which the camera was watched; none when it must not be learned from. */
  readonly minutes: number;
}

/** An hour that is due; `waits` when nobody could look at all of its pictures. */
export interface DueHour extends ObservedHour {
  readonly waits: boolean;
}

/** The oldest hours that ended before `endedBefore` and whose pictures have all been looked at, or that ended before `patience`. */
export async function dueHours(sql: Sql, endedBefore: Date, patience: Date, limit: number): Promise<readonly DueHour[]> {
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
      and (o.ended_at <= ${patience} or not w.waits)
    order by o.ended_at, o.camera_id
    limit ${limit}
  `;
}

/** Takes an hour out, so that it is learned from once. Returns undefined when somebody else did. */
export async function takeHour(sql: Sql, { cameraId, start }: ObservedHour): Promise<ObservedHour | undefined> {
  const [row] = await sql<[ObservedHour?]>`
    delete from observed_hours o
    where o.camera_id = ${cameraId}
      and o.started_at = ${start}
    returning o.camera_id as "cameraId", o.started_at as start, o.ended_at as "end", ${minutesOf(sql)} as minutes
  `;
  return row;
}

/** Makes sure that nothing of what was seen so far is learned: hours that are over are dropped, the running one will not count. */
export async function spoilHours(sql: Sql, cameraId: string, running: Pick<RunningMinute, "start" | "end">): Promise<void> {
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
