import type { Sql } from "../../platform/database/database.ts";

/*
 * The event of a visit that goes on. An immediate rule creates it while the batch is open:
 *
 *   (none) --(a rule matches what is stored so far)--> ongoing --(the batch closes)--> an event like any other, with `closed_at`
 *
 * All moves hold the lock of the camera's batches.
 */

/** Creates the event of an open batch from its current detections. Undefined: the batch has no detections, or its event exists. */
export async function insertOngoing(sql: Sql, batchId: string, now: Date): Promise<number | undefined> {
  const [row] = await sql<[{ eventId: number }?]>`
    insert into events (batch_id, camera_id, started_at, ended_at, detection_count, object_types, cover_detection_id, ongoing, created_at,
      updated_at)
    select d.batch_id::text, d.camera_id, min(d.detected_at), max(d.detected_at), count(*),
      array_agg(distinct d.object_type order by d.object_type),
      (array_agg(d.detection_id order by d.confidence desc, d.detection_id))[1], true, ${now}::timestamptz, ${now}::timestamptz
    from detections d
    where d.batch_id = ${batchId}
      and d.event_id is null
    group by d.batch_id, d.camera_id
    on conflict (batch_id) do nothing
    returning event_id as "eventId"
  `;
  return row?.eventId;
}

/** Recomputes the times of ongoing events from their detections. Returns which of them are not deleted. */
export async function extendOngoing(sql: Sql, eventIds: readonly number[], now: Date): Promise<readonly number[]> {
  const rows = await sql<{ id: number; isDeleted: boolean }[]>`
    update events e
    set started_at = least(e.started_at, d.first), ended_at = greatest(e.ended_at, d.last), updated_at = ${now}
    from (
      select o.event_id, min(o.detected_at) as first, max(o.detected_at) as last
      from detections o
      where o.event_id = any (${[...eventIds]}::bigint[])
      group by o.event_id
    ) d
    where e.event_id = d.event_id
      and e.event_id = any (${[...eventIds]}::bigint[])
      and e.ongoing
    returning e.event_id as id, e.deleted_at is not null as "isDeleted"
  `;
  return rows.filter(({ isDeleted }) => !isDeleted).map(({ id }) => id);
}

/** Ends the ongoing events of batches that were just closed. Returns those that are not deleted, ordered by id. */
export async function endVisits(sql: Sql, eventIds: readonly number[], now: Date): Promise<readonly number[]> {
  if (eventIds.length === 0) return [];
  const rows = await sql<{ id: number; isDeleted: boolean }[]>`
    update events e
    set ongoing = false, closed_at = ${now}, updated_at = ${now}
    where e.event_id = any (${[...eventIds]}::bigint[])
      and e.ongoing
    returning e.event_id as id, e.deleted_at is not null as "isDeleted"
  `;
  return rows
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ id }) => id)
    .toSorted((one, other) => one - other);
}
