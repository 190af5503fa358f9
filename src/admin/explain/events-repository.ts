import { type Event, type EventRow, recordOf } from "../../monitoring/events/event.ts";
import { columns } from "../../monitoring/events/events-repository.ts";
import type { Sql } from "../../platform/database/database.ts";

/** Longest event that the search finds: batches last minutes, and events from the API rarely longer than a day. */
const maxEventDuration = "1 day";

/** Events of a camera that overlap a time range and are not deleted, oldest first. */
export async function eventsBetween(sql: Sql, cameraId: string, from: Date, to: Date, limit: number): Promise<readonly Event[]> {
  const rows = await sql<EventRow[]>`
    select ${columns(sql)}
    from events e
    where e.camera_id = ${cameraId}
      and e.deleted_at is null
      and e.started_at between ${from}::timestamptz - ${maxEventDuration}::interval and ${to}::timestamptz
      and e.ended_at >= ${from}
    order by e.started_at, e.event_id
    limit ${limit}
  `;
  return rows.map(recordOf);
}

/** One attempt to assess the risk of an event. */
export interface AttemptFacts {
  readonly attempt: number;
  readonly started_at: Date;
  readonly finished_at: Date;
  readonly outcome: "completed" | "unreadable" | "unavailable" | "rejected";
  readonly analyzed_by: string | null;
  readonly error: string | null;
  readonly answer: string | null;
  /** The detections whose pictures it saw; null if it saw none. */
  readonly shown_detection_ids: readonly number[] | null;
}

/** The last `limit` attempts for an event, oldest first. */
export async function analysisAttempts(sql: Sql, eventId: number, limit: number): Promise<readonly AttemptFacts[]> {
  const rows = await sql<AttemptFacts[]>`
    select a.attempt, a.started_at, a.finished_at, a.outcome, a.analyzed_by, a.error, a.answer, a.shown_detection_ids
    from analysis_attempts a
    where a.event_id = ${eventId}
    order by a.attempt desc
    limit ${limit}
  `;
  return rows.toReversed();
}
