import type { Sql } from "../../platform/database/database.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";

// Ids are gathered into an array first, so that the plan does not depend on stale statistics of tables that have just been filled or
// emptied.

/** Number of deleted events, and the ids of their detections. */
export interface DeletedEvents {
  readonly events: number;
  readonly detectionIds: readonly number[];
}

/** Counts of data older than the retention period. */
export interface ExpiredCounts {
  readonly events: number;
  readonly detections: number;
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

/** Tells whether an event `e` is old enough, not pinned, and has no unsent message. */
const isDone = (sql: Sql, before: Date, amount: Amount) => sql`
  e.started_at < ${before}
  and e.pinned_at is null
  and ${amount === "few" ? sql`e.event_id <> all (array(${eventsWithUnsentMessages(sql)}))` : sql`e.event_id not in (${eventsWithUnsentMessages(sql)})`}
`;

/**
 * Tells whether a detection `d` is expired: together with its event, whatever its own time; without an event by its own time, unless its
 * batch is still open.
 */
const isExpired = (sql: Sql, before: Date, amount: Amount = "few") => sql`
  (
    e.event_id is not null and ${isDone(sql, before, amount)}
    or e.event_id is null and d.detected_at < ${before} and coalesce(b.status, 'closed') = 'closed'
  )
`;

/** The rows that `isExpired` checks. */
const detectionsWithContext = (sql: Sql) => sql`
  detections d
  left join events e on e.event_id = d.event_id
  left join batches b on b.batch_id = d.batch_id
`;

/** Counts the events, soft-deleted ones included, and detections that a cleanup would delete now. */
export async function countExpired(sql: Sql, before: Date): Promise<ExpiredCounts> {
  const [row] = await sql<[ExpiredCounts]>`
    select
      (select count(*) from events e where ${isDone(sql, before, "many")}) as events,
      (select count(*) from ${detectionsWithContext(sql)} where ${isExpired(sql, before, "many")}) as detections
  `;
  return row;
}

/**
 * Deletes at most `limit` events that started before `before` and are neither pinned nor have an unsent message, oldest first, with everything that refers to
 * them. Must run in a transaction. Fewer than `limit` deleted events mean that none is left.
 */
export async function deleteExpiredEvents(sql: Sql, before: Date, which: "live" | "deleted", limit: number): Promise<DeletedEvents> {
  const isOld = sql`${isDone(sql, before, "few")} and e.deleted_at is ${which === "live" ? sql`null` : sql`not null`}`;
  const old = await sql<{ id: number }[]>`
    select e.event_id as id
    from events e
    where ${isOld}
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
  return { events: events.count, detectionIds: detections.map(({ id }) => id) };
}

/** Deletes at most `limit` detections without an event, oldest first, and returns their ids. */
export async function deleteExpiredDetections(sql: Sql, before: Date, limit: number): Promise<readonly number[]> {
  const gone = await sql<{ id: number }[]>`
    with old as materialized (
      select o.detection_id
      from detections o
      where o.event_id is null
        and o.detection_id = any (array(
          select d.detection_id
          from ${detectionsWithContext(sql)}
          where d.detected_at < ${before}
            and d.event_id is null
            and ${isExpired(sql, before)}
          order by d.detected_at, d.detection_id
          limit ${limit}
        ))
      order by o.detection_id
      for update
    )
    delete from detections d
    where d.detection_id = any (array(select old.detection_id from old))
      and d.event_id is null
    returning d.detection_id as id
  `;
  return gone.map(({ id }) => id);
}

/** Returns which of these detections exist and stay. */
export async function survivingDetections(sql: Sql, ids: readonly number[], before: Date): Promise<ReadonlySet<number>> {
  const rows = await sql<{ id: number }[]>`
    select d.detection_id as id
    from ${detectionsWithContext(sql)}
    where d.detection_id = any (${[...ids]}::bigint[])
      and not ${isExpired(sql, before)}
  `;
  return new Set(rows.map(({ id }) => id));
}

/** A processed ledger entry that is older than the retention period. */
export interface ExpiredImage {
  readonly imageId: number;
  readonly path: string;
  readonly sizeBytes: number;
  /** Modification time in nanoseconds since 1970. */
  readonly modifiedNs: bigint;
  readonly foundAt: Date;
  /** Sort key of the walk. */
  readonly takenAt: string;
}

/** Position where a walk through a camera's ledger continues. */
export type LedgerPlace = Pick<ExpiredImage, "takenAt" | "imageId">;

/**
 * Returns the next ledger entries of a camera that are older than `before` and have no detection any more, oldest first; entries whose
 * event becomes old later are deleted in the next run. A dry run, which deletes nothing, also returns entries whose detections would be
 * deleted.
 */
export async function expiredImages(
  sql: Sql,
  of: {
    readonly cameraId: string;
    readonly before: Date;
    readonly after: LedgerPlace | undefined;
    readonly limit: number;
    readonly dryRun: boolean;
  },
): Promise<readonly ExpiredImage[]> {
  const { cameraId, before, after, limit, dryRun } = of;
  const rows = await sql<(Omit<ExpiredImage, "modifiedNs"> & { readonly modifiedNs: string })[]>`
    select i.image_id as "imageId", ${fullPath(sql, sql`i.path`)} as path, i.size_bytes as "sizeBytes", i.modified_ns::text as "modifiedNs", i.found_at as "foundAt",
      i.taken_at::text as "takenAt"
    from images i
    where i.camera_id = ${cameraId}
      and i.taken_at < ${before}
      and i.status in ('processed', 'skipped', 'failed')
      ${after ? sql`and (i.taken_at, i.image_id) > (${after.takenAt}::text::timestamptz, ${after.imageId}::bigint)` : sql``}
      and not exists (
        select 1
        from ${detectionsWithContext(sql)}
        where d.image_id = i.image_id
          ${dryRun ? sql`and not ${isExpired(sql, before)}` : sql``}
      )
    order by i.taken_at, i.image_id
    limit ${limit}
  `;
  return rows.map((row) => ({ ...row, modifiedNs: BigInt(row.modifiedNs) }));
}

/** Deletes those of these ledger entries that have no detection, with their jobs. Must run in a transaction. */
export async function deleteImages(sql: Sql, ids: readonly number[]): Promise<void> {
  const gone = await sql<{ id: number }[]>`
    delete from images i
    where i.image_id = any (${[...ids]}::bigint[])
      and not exists (
        select 1
        from detections d
        where d.image_id = i.image_id
      )
    returning i.image_id as id
  `;
  await sql`
    delete from jobs j
    where j.queue in ('detect', 'enrich')
      and j.subject = any (${gone.map(({ id }) => String(id))}::text[])
  `;
}

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
