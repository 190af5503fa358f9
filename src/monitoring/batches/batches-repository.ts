import { advisoryLocks, type Sql } from "../../platform/database/database.ts";
import type { DueBatch, OpenBatch } from "./batch.ts";

/**
 * Locks the batches of these cameras against opening, filling and closing until the end of the transaction. Always in the same order,
 * which prevents deadlocks.
 */
export async function lockBatchesOf(sql: Sql, cameraIds: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${advisoryLocks.batches}, c.key)
    from (
      select distinct hashtext(u.camera_id) as key
      from unnest(${[...cameraIds]}::text[]) as u (camera_id)
      order by key
    ) c
  `;
}

/** An open batch with the number of its detections. */
export interface CountedBatch extends OpenBatch {
  readonly cameraId: string;
  readonly detectionCount: number;
  /** Its event, if an immediate rule created it already. */
  readonly eventId: number | null;
}

/** Returns the open batches of cameras: one each in live operation, a few during a backlog. */
export async function openBatchesOf(sql: Sql, cameraIds: readonly string[]): Promise<readonly CountedBatch[]> {
  return await sql<CountedBatch[]>`
    select b.batch_id as "batchId", b.camera_id as "cameraId", b.started_at as "startedAt", b.last_detection_at as "lastDetectionAt",
      b.detection_count as "detectionCount", b.close_reason is not null as "isFull", b.event_id as "eventId"
    from batches b
    where b.camera_id = any (${[...cameraIds]}::text[])
      and b.status = 'open'
  `;
}

/** Returns the existing batches among texts that may be batch ids. */
export async function namedBatches(
  sql: Sql,
  names: readonly string[],
): Promise<readonly { readonly batchId: string; readonly cameraId: string; readonly isOpen: boolean }[]> {
  const ids = names.filter((name) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name));
  if (ids.length === 0) return [];
  return await sql<{ batchId: string; cameraId: string; isOpen: boolean }[]>`
    select b.batch_id as "batchId", b.camera_id as "cameraId", b.status = 'open' as "isOpen"
    from batches b
    where b.batch_id = any (${ids}::uuid[])
  `;
}

/** An open batch of a camera, and its event if that exists already. */
export interface Visit {
  readonly batchId: string;
  readonly cameraId: string;
  readonly eventId: number | null;
}

/** Finds an open batch; undefined if it is closed or gone. */
export async function findVisit(sql: Sql, batchId: string): Promise<Visit | undefined> {
  const [row] = await sql<[Visit?]>`
    select b.batch_id as "batchId", b.camera_id as "cameraId", b.event_id as "eventId"
    from batches b
    where b.batch_id = ${batchId}
      and b.status = 'open'
  `;
  return row;
}

/** Notes the event of an open batch. The caller holds the lock of the camera. */
export async function setEventOfBatch(sql: Sql, batchId: string, eventId: number): Promise<void> {
  await sql`
    update batches b
    set event_id = ${eventId}
    where b.batch_id = ${batchId}
  `;
}

/** A batch after detections were added. */
export interface GrownBatch extends CountedBatch {
  readonly dueAt: Date;
}

/** Opens batches. */
export async function insertBatches(sql: Sql, batches: readonly GrownBatch[], now: Date): Promise<void> {
  await sql`
    insert into batches (batch_id, camera_id, started_at, last_detection_at, due_at, detection_count, opened_at, joined_at, close_reason)
    select g.batch_id, g.camera_id, g.started_at, g.last_detection_at, g.due_at, g.detection_count, ${now}, ${now}, g.close_reason
    from ${grown(sql, batches)}
  `;
}

/** Stores the new state of open batches. The caller holds their lock. */
export async function growBatches(sql: Sql, batches: readonly GrownBatch[], now: Date): Promise<void> {
  await sql`
    update batches b
    set started_at = g.started_at, last_detection_at = g.last_detection_at, due_at = g.due_at, joined_at = ${now},
      detection_count = g.detection_count, close_reason = g.close_reason
    from ${grown(sql, batches)}
    where b.batch_id = g.batch_id
  `;
}

const grown = (sql: Sql, batches: readonly GrownBatch[]) => sql`
  unnest(
    ${batches.map(({ batchId }) => batchId)}::uuid[],
    ${batches.map(({ cameraId }) => cameraId)}::text[],
    ${sql.array(batches.map(({ startedAt }) => startedAt))}::timestamptz[],
    ${sql.array(batches.map(({ lastDetectionAt }) => lastDetectionAt))}::timestamptz[],
    ${sql.array(batches.map(({ dueAt }) => dueAt))}::timestamptz[],
    ${batches.map(({ detectionCount }) => detectionCount)}::integer[],
    ${batches.map(({ isFull }) => (isFull ? "full" : null))}::text[]
  ) as g (batch_id, camera_id, started_at, last_detection_at, due_at, detection_count, close_reason)
`;

/** Subtracts deleted detections from their open batches. */
export async function shrinkBatches(sql: Sql, batchIds: readonly string[]): Promise<void> {
  await sql`
    update batches b
    set detection_count = greatest(0, b.detection_count - g.count)
    from (select u.batch_id, count(*)::integer as count from unnest(${[...batchIds]}::uuid[]) as u (batch_id) group by u.batch_id) g
    where b.batch_id = g.batch_id
      and b.status = 'open'
  `;
}

/** Deletes those of these open batches that have neither an event nor detections any more. The caller holds the lock of their cameras. */
export async function deleteEmptyBatches(sql: Sql, batchIds: readonly string[]): Promise<void> {
  await sql`
    delete from batches b
    where b.batch_id = any (${[...batchIds]}::uuid[])
      and b.status = 'open'
      and b.event_id is null
      and not exists (select from detections d where d.batch_id = b.batch_id and d.event_id is null)
  `;
}

/** Returns cameras with a batch that is due, full, or due after `latest`, which is impossible. */
export async function camerasWithDueBatches(sql: Sql, now: Date, latest: Date): Promise<readonly string[]> {
  const rows = await sql<{ cameraId: string }[]>`
    select distinct b.camera_id as "cameraId"
    from batches b
    where b.status = 'open'
      and (b.due_at <= ${now} or b.due_at > ${latest} or b.close_reason is not null)
  `;
  return rows.map((row) => row.cameraId);
}

/**
 * Returns the batches of these cameras that are due, full, or due after `latest`. A waiting picture could still join if its time lies
 * between `idleMs` before the batch and its due time; pictures of other times belong to other events and delay nothing. Nor does a
 * picture that the detector could not process, in live operation; a batch that was due before its last detection joined is late in any
 * case, and waits for it.
 */
export async function dueBatchesOf(
  sql: Sql,
  cameraIds: readonly string[],
  { now, latest, idleMs }: { readonly now: Date; readonly latest: Date; readonly idleMs: number },
): Promise<readonly DueBatch[]> {
  return await sql<DueBatch[]>`
    select b.batch_id as "batchId", b.started_at as "startedAt", b.last_detection_at as "lastDetectionAt",
      b.due_at as "dueAt", b.joined_at as "joinedAt", b.close_reason is not null as "isFull",
      exists (
        select 1
        from images i
        where i.camera_id = b.camera_id
          and (i.status = 'pending' or i.status = 'deferred' and b.joined_at >= b.due_at)
          and i.taken_at between b.started_at - ${idleMs} * interval '1 millisecond' and b.due_at
      ) as "pictureWaits"
    from batches b
    where b.status = 'open'
      and b.camera_id = any (${[...cameraIds]}::text[])
      and (b.due_at <= ${now} or b.due_at > ${latest} or b.close_reason is not null)
    order by b.started_at, b.batch_id
  `;
}

/** A batch that has just been closed. */
export interface ClosedBatch {
  readonly batchId: string;
  readonly closeReason: "window" | "idle" | "full";
  readonly openedAt: Date;
  /** Its event, if an immediate rule created it already. */
  readonly eventId: number | null;
}

/** Closes batches. The reason is the timer that ended first, unless the batch was full. */
export async function markClosed(sql: Sql, batchIds: readonly string[], now: Date, idleMs: number): Promise<readonly ClosedBatch[]> {
  return await sql<ClosedBatch[]>`
    update batches b
    set status = 'closed', closed_at = ${now},
      close_reason = coalesce(
        b.close_reason,
        case when b.due_at < b.last_detection_at + ${idleMs} * interval '1 millisecond' then 'window' else 'idle' end
      )
    where b.batch_id = any (${[...batchIds]}::uuid[])
      and b.status = 'open'
    returning b.batch_id as "batchId", b.close_reason as "closeReason", b.opened_at as "openedAt", b.event_id as "eventId"
  `;
}

/**
 * Returns when the next open batch is due, for an exact timer: `now` for one that is full or due after `latest`, in the past for one that
 * waits for its pictures. Undefined if none is open.
 */
export async function nextDueAt(sql: Sql, now: Date, latest: Date): Promise<Date | undefined> {
  const [row] = await sql<[{ dueAt: Date | null }]>`
    select min(case when b.close_reason is not null or b.due_at > ${latest} then ${now} else b.due_at end) as "dueAt"
    from batches b
    where b.status = 'open'
  `;
  return row.dueAt ?? undefined;
}

/** An open batch in the pipeline status. */
export interface ActiveBatch {
  readonly batchId: string;
  readonly cameraId: string;
  readonly detectionCount: number;
  readonly openedAt: Date;
  readonly startedAt: Date;
  readonly joinedAt: Date;
}

/** All open batches, oldest first. */
export async function activeBatches(sql: Sql): Promise<readonly ActiveBatch[]> {
  return await sql<ActiveBatch[]>`
    select b.batch_id as "batchId", b.camera_id as "cameraId", b.detection_count as "detectionCount",
      b.opened_at as "openedAt", b.started_at as "startedAt", b.joined_at as "joinedAt"
    from batches b
    where b.status = 'open'
    order by b.opened_at, b.batch_id
  `;
}
