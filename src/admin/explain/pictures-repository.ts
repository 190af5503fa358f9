import type { Sql } from "../../platform/database/database.ts";

/** The facts about a detection that an explanation needs. */
export interface KeptDetection {
  readonly id: number;
  readonly imageId: number;
  readonly objectType: string;
  readonly confidence: number;
  readonly batchId: string | null;
  readonly eventId: number | null;
  /** Number of detections on its picture. */
  readonly onImage: number;
}

/** The existing detections of these pictures: of each picture the `limit` most confident ones. */
export async function detectionsOfImages(sql: Sql, imageIds: readonly number[], limit: number): Promise<readonly KeptDetection[]> {
  return await sql<KeptDetection[]>`
    select d.*
    from unnest(${[...imageIds]}::bigint[]) p (image_id)
    cross join lateral (
      select n.detection_id as id, n.image_id as "imageId", n.object_type as "objectType", n.confidence, n.batch_id as "batchId",
        n.event_id as "eventId", count(*) over () as "onImage"
      from detections n
      where n.image_id = p.image_id
      order by n.confidence desc, n.detection_id
      limit ${limit}
    ) d
    order by d."imageId", d.id
  `;
}

/** The first pictures of an event by time, and their total number. */
export async function picturesOfEvent(
  sql: Sql,
  eventId: number,
  limit: number,
): Promise<{ readonly ids: readonly number[]; readonly total: number }> {
  const rows = await sql<{ id: number; total: number }[]>`
    select d.image_id as id, count(*) over () as total
    from detections d
    where d.event_id = ${eventId}
      and d.image_id is not null
    group by d.image_id
    order by min(d.detected_at), d.image_id
    limit ${limit}
  `;
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

/** The facts about a batch that an explanation needs. */
export interface BatchFacts {
  readonly batchId: string;
  readonly status: "open" | "closed";
  /** Time of the first detection. In a video it is before the arrival, which decides the batch. */
  readonly startedAt: Date;
  readonly lastDetectionAt: Date;
  readonly openedAt: Date;
  readonly dueAt: Date;
  readonly closedAt: Date | null;
  readonly closeReason: "window" | "idle" | "full" | null;
  readonly detectionCount: number;
}

/** Finds batches by id. */
export async function findBatches(sql: Sql, ids: readonly string[]): Promise<readonly BatchFacts[]> {
  return await sql<BatchFacts[]>`
    select b.batch_id as "batchId", b.status,
      least(
        b.started_at,
        (select min(d.detected_at) from detections d where d.batch_id = b.batch_id and d.event_id is null),
        (select e.started_at from events e where e.batch_id = b.batch_id::text)
      ) as "startedAt",
      b.last_detection_at as "lastDetectionAt", b.opened_at as "openedAt", b.due_at as "dueAt", b.closed_at as "closedAt",
      b.close_reason as "closeReason", b.detection_count as "detectionCount"
    from batches b
    where b.batch_id = any (${[...ids]}::uuid[])
    order by b.started_at
  `;
}

/** The reason of a camera's status; null when there is none. */
export async function statusReason(sql: Sql, cameraId: string): Promise<string | null> {
  const [row] = await sql<[{ reason: string | null }?]>`
    select c.status_reason as reason
    from cameras c
    where c.camera_id = ${cameraId}
  `;
  return row?.reason ?? null;
}
