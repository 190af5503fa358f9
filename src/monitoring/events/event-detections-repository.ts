import { notFound, Problem } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import { detectionsOfEvent } from "../detections/detections-repository.ts";
import { shownToModel } from "./crops-repository.ts";
import type { EventWithDetections } from "./event.ts";
import { findEvents } from "./events-repository.ts";

/** Properties that an event and its new detections must share. */
export interface EventPlace {
  readonly id: number;
  readonly cameraId: string;
  readonly isDeleted: boolean;
  /** An incident of a camera or of homesec; it has no detections. */
  readonly isIncident: boolean;
  readonly isPinned: boolean;
}

/** Locks the existing events, deleted ones included, until the end of the transaction. */
export async function lockEvents(sql: Sql, ids: readonly number[]): Promise<readonly EventPlace[]> {
  if (ids.length === 0) return [];
  return await sql<EventPlace[]>`
    select e.event_id as id, e.camera_id as "cameraId", e.deleted_at is not null as "isDeleted", e.kind <> 'event' as "isIncident",
      e.pinned_at is not null as "isPinned"
    from events e
    where e.event_id = any (${[...ids]}::bigint[])
    order by e.event_id
    for no key update
  `;
}

/** Recomputes number, classes and cover of events, deleted ones included, from their current detections. */
export async function recountDetections(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  await sql`
    update events e
    set detection_count = s.count, object_types = s.object_types, cover_detection_id = s.cover_detection_id, updated_at = ${now}
    from (
      select u.event_id, count(d.detection_id)::integer as count,
        coalesce(array_agg(distinct d.object_type order by d.object_type) filter (where d.detection_id is not null), '{}') as object_types,
        (array_agg(d.detection_id order by d.confidence desc, d.detection_id) filter (where d.detection_id is not null))[1] as cover_detection_id
      from unnest(${[...eventIds]}::bigint[]) as u (event_id)
      left join detections d on d.event_id = u.event_id
      group by u.event_id
    ) s
    where e.event_id = s.event_id
  `;
}

/** Returns an event with its detections. Throws `Problem("not_found")` if there is none with this id, or it is deleted. */
export async function findWithDetections(sql: Sql, id: number): Promise<EventWithDetections> {
  const [event] = await findEvents(sql, [id]);
  if (!event) throw notFound("Event", id);
  if (event.deleted_at) throw new Problem("not_found", `Event ${id} is deleted`);
  return { ...event, detections: [...(await detectionsOfEvent(sql, id))], shown_detection_ids: [...(await shownToModel(sql, id))] };
}
