import type { Sql } from "../../platform/database/database.ts";

/** An event to store about something parked that left. */
export interface Departure {
  readonly cameraId: string;
  readonly objectType: string;
  readonly parkedSince: Date;
  /** Time of the first picture without it. */
  readonly at: Date;
  readonly summary: string;
  /** Its newest detection while it was parked, which becomes the one of the event; null if unknown. */
  readonly detectionId: number | null;
}

/** Stores an event for each departure and links its detection, if that still exists. Returns the ids of the events. */
export async function insertDepartures(sql: Sql, departures: readonly Departure[], now: Date): Promise<readonly number[]> {
  const eventIds: number[] = [];
  for (const { cameraId, objectType, parkedSince, at, summary, detectionId } of departures) {
    const [row] = await sql<[{ eventId: number }]>`
      with shown as (
        select d.detection_id
        from detections d
        where d.detection_id = ${detectionId}::bigint
          and d.camera_id = ${cameraId}
          and d.event_id is null
          and d.batch_id is null
      )
      insert into events (camera_id, started_at, ended_at, detection_count, object_types, cover_detection_id, summary, parked_since, created_at, updated_at)
      select ${cameraId}, ${at}, ${at}, count(s.detection_id), ${[objectType]}::text[], min(s.detection_id), ${summary}, ${parkedSince}, ${now}, ${now}
      from shown s
      returning event_id as "eventId"
    `;
    await sql`
      update detections d
      set event_id = ${row.eventId}
      where d.detection_id = ${detectionId}::bigint
        and d.camera_id = ${cameraId}
        and d.event_id is null
        and d.batch_id is null
    `;
    eventIds.push(row.eventId);
  }
  return eventIds;
}
