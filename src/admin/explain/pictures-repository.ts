import type { Sql } from "../../platform/database/database.ts";

/** A detection as an explanation names it. */
export interface KeptDetection {
  readonly id: number;
  readonly imageId: number;
  readonly objectType: string;
  readonly confidence: number;
  readonly batchId: string | null;
  readonly eventId: number | null;
  /** How many there are on its picture. */
  readonly onImage: number;
}

/** The detections of these pictures that still exist: of each picture those of whom the detector was most certain, `limit` at most. */
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

/** The first pictures of an event by time, and how many it has. */
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

/** A batch as an explanation tells of it. */
export interface BatchFacts {
  readonly batchId: string;
  readonly status: "open" | "closed";
  /** The first detection: in a video it lies before the arrival, by which the batch was chosen. */
  readonly startedAt: Date;
  readonly lastDetectionAt: Date;
  readonly openedAt: Date;
  readonly dueAt: Date;
  readonly closedAt: Date | null;
  readonly closeReason: "window" | "idle" | "full" | null;
  readonly detectionCount: number;
}

/** Batches by their ids. */
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
