import type { Sql } from "../../platform/database/database.ts";

/** The facts about a detection that an explanation needs. */
export interface DetectionFacts {
  readonly id: number;
  readonly image_id: number;
  readonly object_type: string;
  readonly confidence: number;
  readonly batch_id: string | null;
  readonly event_id: number | null;
  /** The mask that hides it. */
  readonly mask_id: number | null;
  /** Number of detections on its picture. */
  readonly on_image: number;
  /** Since when it is parked, in how many of the last pictures it was seen, and the middle of its lower edge; null unless parked. */
  readonly parked: {
    readonly since: string;
    readonly seen: number;
    readonly pictures: number;
    readonly x: number | null;
    readonly y: number | null;
  } | null;
}

/** The existing detections of these pictures: of each picture the `limit` most confident ones. */
export async function detectionsOfImages(sql: Sql, imageIds: readonly number[], limit: number): Promise<readonly DetectionFacts[]> {
  return await sql<DetectionFacts[]>`
    select d.*
    from unnest(${[...imageIds]}::bigint[]) p (image_id)
    cross join lateral (
      select n.detection_id as id, n.image_id, n.object_type, n.confidence, n.batch_id,
        n.event_id, n.mask_id, count(*) over () as on_image,
        case when n.parked_since is not null then
          jsonb_build_object(
            'since', n.parked_since, 'seen', n.parked_seen, 'pictures', n.parked_pictures,
            'x', round((n.bbox_x + n.bbox_width / 2.0) / nullif(i.width, 0), 2), 'y', round((n.bbox_y + n.bbox_height) / nullif(i.height, 0)::numeric, 2)
          )
        end as parked
      from detections n
      join images i on i.image_id = n.image_id
      where n.image_id = p.image_id
      order by n.confidence desc, n.detection_id
      limit ${limit}
    ) d
    order by d.image_id, d.id
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
  readonly batch_id: string;
  readonly status: "open" | "closed";
  /** Time of the first detection. In a video it is before the arrival, which decides the batch. */
  readonly started_at: Date;
  readonly last_detection_at: Date;
  readonly opened_at: Date;
  readonly due_at: Date;
  readonly closed_at: Date | null;
  readonly close_reason: "window" | "idle" | "full" | null;
  readonly detection_count: number;
  /** Its event, if an immediate rule created it while the batch was open. */
  readonly event_id: number | null;
}

/** Finds batches by id. */
export async function findBatches(sql: Sql, ids: readonly string[]): Promise<readonly BatchFacts[]> {
  return await sql<BatchFacts[]>`
    select b.batch_id, b.status,
      least(
        b.started_at,
        (select min(d.detected_at) from detections d where d.batch_id = b.batch_id and d.event_id is null),
        (select e.started_at from events e where e.batch_id = b.batch_id::text)
      ) as started_at,
      b.last_detection_at, b.opened_at, b.due_at, b.closed_at,
      b.close_reason, b.detection_count, b.event_id
    from batches b
    where b.batch_id = any (${[...ids]}::uuid[])
    order by b.started_at
  `;
}
