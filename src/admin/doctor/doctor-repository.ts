import type { Sql } from "../../platform/database/database.ts";

/** What the server says of itself. */
export interface ServerFacts {
  readonly now: Date;
  /** `170010`. */
  readonly version: number;
  readonly encoding: string;
  readonly maxConnections: number;
  /** Kept back for superusers. */
  readonly reservedConnections: number;
  readonly usedConnections: number;
  readonly fsync: string;
  readonly fullPageWrites: string;
  /** Whether this user may make schemas, as the self-test does, and tables, as migrations do. */
  readonly mayMakeSchemas: boolean;
  readonly mayMakeTables: boolean;
  readonly user: string;
  readonly database: string;
}

/** Asks the server for what does not depend on the schema. */
export async function serverFacts(sql: Sql): Promise<ServerFacts> {
  const [row] = await sql<[ServerFacts]>`
    select clock_timestamp() as now,
      current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding,
      current_setting('max_connections')::integer as "maxConnections",
      current_setting('superuser_reserved_connections')::integer as "reservedConnections",
      (select count(*) from pg_stat_activity a where a.backend_type = 'client backend') as "usedConnections",
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as "fullPageWrites",
      has_database_privilege(current_database(), 'create') as "mayMakeSchemas",
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayMakeTables",
      current_user::text as user,
      current_database()::text as database
  `;
  return row;
}

/** How many bytes of pictures came between two times. */
export async function recentPictureBytes(sql: Sql, since: Date, until: Date): Promise<number> {
  const [row] = await sql<[{ bytes: number }]>`
    select coalesce(sum(p.bytes), 0)::bigint as bytes
    from cameras c
    cross join lateral (
      select sum(i.size_bytes) as bytes
      from images i
      where i.camera_id = c.camera_id
        and i.taken_at > ${since}
        and i.taken_at <= ${until}
    ) p
  `;
  return row.bytes;
}

/** What is said of the newest video that could not be read since ffmpeg is missing, among the newest files that were skipped or are put off. */
export async function videosWait(sql: Sql): Promise<{ readonly detail: string | null } | undefined> {
  const [row] = await sql<{ detail: string | null }[]>`
    select s.detail
    from unnest(array['skipped', 'deferred']) k (status)
    cross join lateral (
      select i.image_id, i.reason, i.detail
      from images i
      where i.status = k.status
      order by i.image_id desc
      limit 1000
    ) s
    where s.reason = 'no_ffmpeg'
    order by s.image_id desc
    limit 1
  `;
  return row;
}

/** Cameras whose files lately carried another time than that of their arrival. */
export async function fileTimeOffsets(
  sql: Sql,
  since: Date,
): Promise<readonly { readonly cameraId: string; readonly pictures: number; readonly aheadSeconds: number }[]> {
  return await sql<{ cameraId: string; pictures: number; aheadSeconds: number }[]>`
    select c.camera_id as "cameraId", p.pictures, p.ahead as "aheadSeconds"
    from cameras c
    cross join lateral (
      select count(*) as pictures,
        percentile_cont(0.5) within group (order by n.modified_ns / 1e9 - extract(epoch from n.found_at)::double precision) as ahead
      from (
        select i.modified_ns, i.found_at
        from images i
        where i.camera_id = c.camera_id
          and i.taken_at > ${since}
          and i.found_by = 'watch'
        order by i.taken_at desc
        limit 20
      ) n
    ) p
    where c.deleted_at is null
      and p.pictures > 0
    order by c.camera_id
  `;
}

/** Why cameras are in `error`, by their ids. */
export async function cameraReasons(sql: Sql): Promise<readonly { readonly cameraId: string; readonly reason: string | null }[]> {
  return await sql<{ cameraId: string; reason: string | null }[]>`
    select c.camera_id as "cameraId", c.status_reason as reason
    from cameras c
    where c.deleted_at is null
      and c.status = 'error'
    order by c.camera_id
  `;
}

/** Of a camera, what came of its last pictures and videos. */
export interface LastPictures {
  readonly cameraId: string;
  /** How many have an outcome, 20 at most, and how many of these were not looked at for one of the reasons asked for. */
  readonly pictures: number;
  readonly lost: number;
  /** Of the newest of the latter, its number in the ledger and its reason. */
  readonly imageId: number | null;
  readonly reason: string | null;
}

/** What came of the last pictures of each camera since a time, and how many were not looked at for one of these reasons. */
export async function lastPictures(sql: Sql, since: Date, reasons: readonly string[]): Promise<readonly LastPictures[]> {
  return await sql<LastPictures[]>`
    select c.camera_id as "cameraId", n.pictures, n.lost, n."imageId", n.reason
    from cameras c
    cross join lateral (
      select count(*) as pictures,
        count(*) filter (where l.is_lost) as lost,
        (array_agg(l.image_id order by l.taken_at desc, l.image_id desc) filter (where l.is_lost))[1] as "imageId",
        (array_agg(l.reason order by l.taken_at desc, l.image_id desc) filter (where l.is_lost))[1] as reason
      from (
        select i.image_id, i.taken_at, i.reason, coalesce(i.reason = any (${[...reasons]}::text[]), false) as is_lost
        from images i
        where i.camera_id = c.camera_id
          and i.taken_at > ${since}
          and i.status not in ('pending', 'deferred')
        order by i.taken_at desc, i.image_id desc
        limit 20
      ) l
    ) n
    where c.deleted_at is null
      and n.pictures > 0
    order by c.camera_id
  `;
}

/** Jobs of each queue that could have started before a time and have not. */
export async function overdueJobs(
  sql: Sql,
  before: Date,
): Promise<readonly { readonly queue: string; readonly count: number; readonly since: Date }[]> {
  return await sql<{ queue: string; count: number; since: Date }[]>`
    select j.queue, count(*) as count, min(j.available_at) as since
    from jobs j
    where j.status = 'pending'
      and j.available_at < ${before}
    group by j.queue
    order by j.queue
  `;
}

/** What became of the deliveries of a webhook. */
export interface WebhookRecord {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  /** Why homesec itself switched it off. */
  readonly disabledReason: string | null;
  readonly succeeded: number;
  readonly failed: number;
  readonly lastError: string | null;
}

/** Every webhook with its deliveries since a time that came to an end, or failed at least once. */
export async function webhookRecords(sql: Sql, since: Date): Promise<readonly WebhookRecord[]> {
  return await sql<WebhookRecord[]>`
    select w.webhook_id as id, w.name, w.url, w.enabled, w.disabled_reason as "disabledReason",
      d.succeeded, d.failed, d.last_error as "lastError"
    from webhooks w
    cross join lateral (
      select count(*) filter (where d.status = 'success') as succeeded,
        count(*) filter (where d.status in ('failed', 'retrying')) as failed,
        (array_agg(d.error_message order by d.created_at desc) filter (where d.status in ('failed', 'retrying')))[1] as last_error
      from webhook_deliveries d
      where d.webhook_id = w.webhook_id
        and d.created_at > ${since}
    ) d
    order by w.name, w.webhook_id
  `;
}

/** Notifications since a time that reached nobody, by channel: those that were given up, and those that wait after three attempts. */
export async function lostNotifications(
  sql: Sql,
  since: Date,
): Promise<readonly { readonly channel: string; readonly isWaiting: boolean; readonly count: number; readonly answer: string | null }[]> {
  return await sql<{ channel: string; isWaiting: boolean; count: number; answer: string | null }[]>`
    select n.channel, n.status = 'waiting' as "isWaiting", count(*) as count,
      (array_agg(coalesce(
        n.reason,
        (select a.answer from notification_attempts a where a.notification_id = n.notification_id order by a.attempt desc limit 1)
      ) order by n.created_at desc))[1] as answer
    from notifications n
    where n.created_at > ${since}
      and (n.status in ('failed', 'expired') or (n.status = 'waiting' and n.attempt_count >= 3))
    group by n.channel, n.status = 'waiting'
    order by n.channel, "isWaiting"
  `;
}

/** How many alerts between two times are still pending. */
export async function countPendingAlerts(sql: Sql, since: Date, until: Date): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from alerts a
    where a.status = 'pending'
      and a.created_at > ${since}
      and a.created_at < ${until}
  `;
  return row.count;
}

/** Of the events since a time: how many were judged, how many could not be, and the highest score. */
export async function judgedEvents(
  sql: Sql,
  since: Date,
): Promise<{ readonly judged: number; readonly failed: number; readonly highest: number | null }> {
  const [row] = await sql<[{ judged: number; failed: number; highest: number | null }]>`
    select count(*) filter (where e.analysis_status = 'completed') as judged,
      count(*) filter (where e.analysis_status = 'failed') as failed,
      max(e.risk_score)::integer as highest
    from events e
    where e.deleted_at is null
      and e.kind = 'event'
      and e.started_at > ${since}
  `;
  return row;
}

/** Versions of the homesec processes that gave a sign of life within the last seconds. */
export async function livingVersions(sql: Sql): Promise<readonly { readonly host: string; readonly version: string }[]> {
  return await sql<{ host: string; version: string }[]>`
    select distinct p.host, p.version
    from processes p
    where p.heartbeat_at > now() - interval '15 seconds'
    order by p.host, p.version
  `;
}
