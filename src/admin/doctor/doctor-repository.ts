import type { Sql } from "../../platform/database/database.ts";

/** Facts about the database server and the rights of its user. */
export interface ServerFacts {
  readonly now: Date;
  /** `170010` for 17.10. */
  readonly version: number;
  readonly encoding: string;
  /** Whether this user may create tables, which migrations need. */
  readonly mayMakeTables: boolean;
  readonly user: string;
  readonly database: string;
}

/** Reads facts that do not depend on the schema. */
export async function serverFacts(sql: Sql): Promise<ServerFacts> {
  const [row] = await sql<[ServerFacts]>`
    select clock_timestamp() as now,
      current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayMakeTables",
      current_user::text as user,
      current_database()::text as database
  `;
  return row;
}

/** Total size in bytes of the pictures taken after `since` and until `until`. */
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

/** The newest video that needs ffmpeg, among the last 1,000 files that were skipped or deferred. */
export async function newestVideoWithoutFfmpeg(sql: Sql): Promise<{ readonly detail: string | null } | undefined> {
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

/** For each camera: how far the file times of its last 20 pictures since `since` are ahead of their arrival (median, in seconds). */
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

/** The outcome of the last pictures and videos of a camera. */
export interface LastPictures {
  readonly cameraId: string;
  /** Number of pictures with an outcome, at most 20. */
  readonly pictures: number;
  /** Number of those with one of the given reasons. */
  readonly lost: number;
  /** Id and reason of the newest of those. */
  readonly imageId: number | null;
  readonly reason: string | null;
}

/** Counts the last pictures of each camera since a time, and those with one of these reasons. */
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

/** Counts the jobs of each queue that have been ready since before a time. */
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

/** A webhook and the results of its deliveries. */
export interface WebhookRecord {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  /** Why homesec disabled it; null unless it did. */
  readonly disabledReason: string | null;
  readonly succeeded: number;
  readonly failed: number;
  readonly lastError: string | null;
}

/** Every webhook, with the deliveries since a time that ended or failed at least once. */
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

/** An enabled webhook that gets alerts, whatever the channels of their rules. Null: of all rules and severities. */
export interface AlertWebhook {
  readonly name: string;
  readonly ruleIds: readonly string[] | null;
  readonly severities: readonly string[] | null;
}

/** The enabled webhooks that subscribe to alerts. */
export async function webhooksForAlerts(sql: Sql): Promise<readonly AlertWebhook[]> {
  return await sql<AlertWebhook[]>`
    select w.name, w.rule_ids as "ruleIds", w.severities
    from webhooks w
    where w.enabled
      and 'alert_fired' = any (w.event_types)
    order by w.name, w.webhook_id
  `;
}

/** Counts by channel the notifications since a time that failed or expired. */
export async function lostNotifications(
  sql: Sql,
  since: Date,
): Promise<readonly { readonly channel: string; readonly count: number; readonly answer: string | null }[]> {
  return await sql<{ channel: string; count: number; answer: string | null }[]>`
    select n.channel, count(*) as count,
      (array_agg(coalesce(
        n.reason,
        (select a.answer from notification_attempts a where a.notification_id = n.notification_id order by a.attempt desc limit 1)
      ) order by n.created_at desc))[1] as answer
    from notifications n
    where n.created_at > ${since}
      and n.status in ('failed', 'expired')
      and n.joined_to is null
    group by n.channel
    order by n.channel
  `;
}

/** Counts the events since a time that have a risk score, and returns the highest score. */
export async function scoredEvents(sql: Sql, since: Date): Promise<{ readonly count: number; readonly highest: number | null }> {
  const [row] = await sql<[{ count: number; highest: number | null }]>`
    select count(*) as count, max(e.risk_score)::integer as highest
    from events e
    where e.deleted_at is null
      and e.kind = 'event'
      and e.analysis_status = 'completed'
      and e.started_at > ${since}
  `;
  return row;
}

/** Hosts and versions of the homesec processes with a recent heartbeat. */
export async function livingVersions(sql: Sql): Promise<readonly { readonly host: string; readonly version: string }[]> {
  return await sql<{ host: string; version: string }[]>`
    select distinct p.host, p.version
    from processes p
    where p.heartbeat_at > now() - interval '15 seconds'
    order by p.host, p.version
  `;
}
