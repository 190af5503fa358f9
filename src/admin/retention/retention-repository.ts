import type { Sql } from "../../platform/database/database.ts";
import { endFor, latestEnd, type Retention, scopeFor, type Which } from "./retention.ts";

// Ids are gathered into an array first, so that the plan does not depend on stale statistics of tables that have just been filled or
// emptied.

/** Number of deleted events, and the ids of their detections. */
export interface DeletedEvents {
  readonly events: number;
  /** Where the walk continues; undefined at its end. */
  readonly next: EventPlace | undefined;
  readonly detectionIds: readonly number[];
}

/** Position of a walk through events by their start. */
export interface EventPlace {
  readonly startedAt: string;
  readonly id: number;
}

/** Position of a walk through detections by their time. */
export interface DetectionPlace {
  readonly detectedAt: string;
  readonly id: number;
}

/** Counts of data older than the retention period. */
export interface ExpiredCounts {
  readonly events: number;
  readonly detections: number;
  /** Numbers of events by the index of their scope. */
  readonly eventsOf: ReadonlyMap<number, number>;
}

/** Number of rows checked: `few` through indexes, `many` by a full scan. */
type Amount = "few" | "many";

/** Events with unsent messages: the end of an open incident, an alert that waits for its channel, a digest to come. */
const eventsWithUnsentMessages = (sql: Sql) => sql`
  select i.event_id from camera_incidents i where i.ended_at is null and i.event_id is not null
  union all
  select a.event_id from notifications n join alerts a on a.alert_id = n.alert_id where n.status = 'waiting'
  union all
  select a.event_id from digests d join alerts a on a.alert_id = d.alert_id where d.closed_at is null
  union all
  select split_part(j.subject, ':', 1)::bigint from jobs j where j.queue = 'alert' and j.subject like '%:ended:%' and j.status <> 'dead'
`;

const ofEvent = (sql: Sql) => ({ camera: sql`e.camera_id`, level: sql`e.risk_level` });

/** Tells whether an event `e` is old enough, not pinned, and has no unsent message. */
const isDone = (sql: Sql, retention: Retention, amount: Amount, which: Which = "events") => sql`
  e.started_at < ${latestEnd(retention, which)}
  ${retention.scopes.length === 1 ? sql`` : sql`and e.started_at < ${endFor(sql, retention, which, ofEvent(sql))}`}
  and e.pinned_at is null
  and ${amount === "few" ? sql`e.event_id <> all (array(${eventsWithUnsentMessages(sql)}))` : sql`e.event_id not in (${eventsWithUnsentMessages(sql)})`}
`;

/**
 * Tells whether a detection `d` is expired: together with its event, whatever its own time; without an event by its own time, unless its
 * batch is still open.
 */
export const isExpired = (sql: Sql, retention: Retention, amount: Amount = "few", which: Which = "events") => sql`
  (
    e.event_id is not null and ${isDone(sql, retention, amount, which)}
    or e.event_id is null and d.detected_at < ${endFor(sql, retention, which, { camera: sql`d.camera_id`, level: undefined })} and coalesce(b.status, 'closed') = 'closed'
  )
`;

/** The rows that `isExpired` checks. */
export const detectionsWithContext = (sql: Sql) => sql`
  detections d
  left join events e on e.event_id = d.event_id
  left join batches b on b.batch_id = d.batch_id
`;

/** Counts the events, soft-deleted ones included, and detections that a cleanup would delete now. */
export async function countExpired(sql: Sql, retention: Retention): Promise<ExpiredCounts> {
  const rows = await sql<{ scope: number; events: number }[]>`
    select ${scopeFor(sql, retention, ofEvent(sql))} as scope, count(*) as events
    from events e
    where ${isDone(sql, retention, "many")}
    group by 1
  `;
  const [{ detections }] = await sql<[{ detections: number }]>`
    select count(*) as detections from ${detectionsWithContext(sql)} where ${isExpired(sql, retention, "many")}
  `;
  const eventsOf = new Map(rows.map(({ scope, events }) => [scope, events]));
  return { events: rows.reduce((sum, { events }) => sum + events, 0), detections, eventsOf };
}

/**
 * Deletes at most `limit` events that are expired and neither pinned nor have an unsent message, oldest first, with everything that refers
 * to them. Must run in a transaction. `after` continues a walk, so that each event that stays is checked once.
 */
export async function deleteExpiredEvents(
  sql: Sql,
  retention: Retention,
  which: "live" | "deleted",
  limit: number,
  after?: EventPlace,
): Promise<DeletedEvents> {
  const isOld = sql`${isDone(sql, retention, "few")} and e.deleted_at is ${which === "live" ? sql`null` : sql`not null`}`;
  const old = await sql<EventPlace[]>`
    select e.event_id as id, e.started_at::text as "startedAt"
    from events e
    where ${isOld}
      ${after ? sql`and (e.started_at, e.event_id) > (${after.startedAt}::text::timestamptz, ${after.id}::bigint)` : sql``}
    order by e.started_at, e.event_id
    limit ${limit}
  `;
  // Lock order: jobs, events, detections, each by id.
  await sql`
    with gone as materialized (
      select j.job_id
      from jobs j
      where j.queue in ('analyze', 'alert')
        and split_part(j.subject, ':', 1) = any (${old.map(({ id }) => String(id))}::text[])
      order by j.job_id
      for update
    )
    delete from jobs j
    where j.job_id = any (array(select gone.job_id from gone))
  `;
  const locked = await sql<{ id: number }[]>`
    select e.event_id as id
    from events e
    where e.event_id = any (${old.map(({ id }) => id)}::bigint[])
      and ${isOld}
    order by e.event_id
    for update
  `;
  const ids = locked.map(({ id }) => id);
  await sql`
    delete from analysis_attempts a
    where a.event_id = any (${ids}::bigint[])
  `;
  const detections = await sql<{ id: number }[]>`
    with gone as materialized (
      select d.detection_id
      from detections d
      where d.event_id = any (${ids}::bigint[])
      order by d.detection_id
      for update
    )
    delete from detections d
    where d.detection_id = any (array(select gone.detection_id from gone))
    returning d.detection_id as id
  `;
  // Alerts that these suppress are no longer suppressed.
  await sql`
    with gone as materialized (
      select c.dedup_key
      from cooldowns c
      join alerts a on a.alert_id = c.alert_id
      where a.event_id = any (${ids}::bigint[])
      order by c.dedup_key
      for update of c
    )
    delete from cooldowns c
    where c.dedup_key = any (array(select gone.dedup_key from gone))
  `;
  // Before the alerts, in the senders' lock order.
  await sql`
    delete from notifications n
    using alerts a
    where a.alert_id = n.alert_id
      and a.event_id = any (${ids}::bigint[])
  `;
  await sql`
    select count(*)
    from (
      select
      from alerts a
      where a.event_id = any (${ids}::bigint[])
      order by a.alert_id
      for update
    ) locked
  `;
  const events = await sql`
    delete from events e
    where e.event_id = any (${ids}::bigint[])
  `;
  const next = old.length < limit ? undefined : old.at(-1);
  return { events: events.count, detectionIds: detections.map(({ id }) => id), next };
}

/** Deletes at most `limit` detections without an event, oldest first, and returns their places. `after` continues a walk. */
export async function deleteExpiredDetections(
  sql: Sql,
  retention: Retention,
  limit: number,
  after?: DetectionPlace,
): Promise<readonly DetectionPlace[]> {
  const gone = await sql<DetectionPlace[]>`
    with old as materialized (
      select o.detection_id
      from detections o
      where o.event_id is null
        and o.detection_id = any (array(
          select d.detection_id
          from detections d
          where d.detected_at < ${latestEnd(retention, "events")}
            and d.event_id is null
            and d.detected_at < ${endFor(sql, retention, "events", { camera: sql`d.camera_id`, level: undefined })}
            -- a subquery for each row: a join may read all batches
            and coalesce((select b.status from batches b where b.batch_id = d.batch_id), 'closed') = 'closed'
            ${after ? sql`and (d.detected_at, d.detection_id) > (${after.detectedAt}::text::timestamptz, ${after.id}::bigint)` : sql``}
          order by d.detected_at, d.detection_id
          limit ${limit}
        ))
      order by o.detection_id
      for update
    )
    delete from detections d
    where d.detection_id = any (array(select old.detection_id from old))
      and d.event_id is null
    returning d.detection_id as id, d.detected_at::text as "detectedAt"
  `;
  return gone.toSorted((one, other) => Date.parse(one.detectedAt) - Date.parse(other.detectedAt) || one.id - other.id);
}

/** Which of these detections exist, whether their thumbnails stay, and the index of the scope that decides. */
export async function thumbnailFates(
  sql: Sql,
  ids: readonly number[],
  retention: Retention,
): Promise<ReadonlyMap<number, { readonly stays: boolean; readonly scope: number }>> {
  const rows = await sql<{ id: number; stays: boolean; scope: number }[]>`
    select d.detection_id as id, not ${isExpired(sql, retention, "few", "thumbnails")} as stays, ${scopeOfDetection(sql, retention)} as scope
    from ${detectionsWithContext(sql)}
    where d.detection_id = any (${[...ids]}::bigint[])
  `;
  return new Map(rows.map((row) => [row.id, row]));
}

/** The scope of a detection `d` with its event `e`, if it has one. */
export const scopeOfDetection = (sql: Sql, retention: Retention) =>
  scopeFor(sql, retention, { camera: sql`d.camera_id`, level: sql`e.risk_level` });

/**
 * Deletes at most `limit` numbered journal entries older than `before`, from the beginning up to the first that is not, and returns how
 * many. Entries with a time in the future (the clock was ahead) are deleted with their neighbours, so that the journal has no gaps.
 */
export async function deleteJournalBefore(
  sql: Sql,
  { before, now }: { readonly before: Date; readonly now: Date },
  limit: number,
): Promise<number> {
  const gone = await sql`
    with oldest as materialized (
      select o.journal_id, o.sequence, o.created_at
      from journal o
      where o.sequence is not null
      order by o.sequence
      limit ${limit}
    )
    delete from journal j
    where j.journal_id = any (array(
      select o.journal_id
      from oldest o
      where o.sequence <= (select max(k.sequence) from oldest k where k.created_at < ${before})
        and o.sequence < coalesce(
          (select min(k.sequence) from oldest k where k.created_at >= ${before} and k.created_at <= ${now}),
          o.sequence + 1
        )
    ))
  `;
  return gone.count;
}

/** Deletes at most `limit` closed batches that ended before `before`, and returns how many. */
export async function deleteBatchesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from batches b
    where b.batch_id = any (array(
      select o.batch_id
      from batches o
      where o.status = 'closed'
        and o.closed_at < ${before}
      order by o.closed_at
      limit ${limit}
    ))
  `;
  return gone.count;
}

/** Deletes at most `limit` dead letters older than `before`, and returns how many. */
export async function deleteDeadJobsBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from jobs j
    where j.job_id = any (array(
      select o.job_id
      from jobs o
      where o.status = 'dead'
        and o.created_at < ${before}
      limit ${limit}
    ))
  `;
  return gone.count;
}

/** Deletes at most `limit` cooldowns that ended before `before`, and returns how many. */
export async function deleteCooldownsBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from cooldowns c
    where c.dedup_key = any (array(
      select o.dedup_key
      from cooldowns o
      where o.ends_at < ${before}
      limit ${limit}
    ))
      and c.ends_at < ${before}
  `;
  return gone.count;
}
