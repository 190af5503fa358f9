import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { zonesOfDetection } from "../zones/zones-repository.ts";
import { findEvents } from "./events-repository.ts";

/** One attempt to analyse an event. */
export interface AnalysisAttempt {
  readonly eventId: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly outcome: "completed" | "unreadable" | "unavailable" | "rejected";
  readonly analyzedBy: string | null;
  /** Why it failed, or what was wrong with an answer whose score was kept. */
  readonly error: string | null;
  /** The language model's text. */
  readonly answer: string | null;
  /** The detections whose pictures the model saw; null or absent if it saw none. */
  readonly shown?: readonly number[] | null;
}

/** Stores an attempt under the next number of its event. */
export async function recordAttempt(sql: Sql, attempt: AnalysisAttempt): Promise<void> {
  await sql`
    insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome, analyzed_by, error, answer, shown_detection_ids)
    select e.event_id, coalesce(max(a.attempt), 0) + 1, ${attempt.startedAt}::timestamptz, ${attempt.finishedAt}::timestamptz,
      ${attempt.outcome}::text, ${attempt.analyzedBy}::text, ${attempt.error}::text, ${attempt.answer}::text,
      ${attempt.shown ? [...attempt.shown] : null}::bigint[]
    from events e
    left join analysis_attempts a on a.event_id = e.event_id
    where e.event_id = ${attempt.eventId}
    group by e.event_id
  `;
}

/**
 * Returns since when an event has waited for an answer: the start of the first of its attempts that got none, after the last one that got
 * any. Null if the last attempt got one, or there is none.
 */
export async function waitingSince(sql: Sql, eventId: number): Promise<Date | null> {
  const [row] = await sql<[{ since: Date | null }?]>`
    select min(a.started_at) as since
    from analysis_attempts a
    where a.event_id = ${eventId}
      and a.attempt > (
        select coalesce(max(b.attempt), 0)
        from analysis_attempts b
        where b.event_id = ${eventId}
          and b.outcome <> 'unavailable'
      )
  `;
  return row?.since ?? null;
}

/** An event with its camera, as the input of an analysis. */
export interface AnalysisSubject {
  readonly batchId: string | null;
  readonly cameraId: string;
  readonly cameraName: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** It has been judged, and no other analysis was requested since. */
  readonly isJudged: boolean;
}

/** Finds an event, deleted or not; undefined if there is none. */
export async function findSubject(sql: Sql, eventId: number): Promise<AnalysisSubject | undefined> {
  const [row] = await sql<[AnalysisSubject?]>`
    select e.batch_id as "batchId", e.camera_id as "cameraId", c.name as "cameraName", e.started_at as "startedAt", e.ended_at as "endedAt",
      e.analysis_status = 'completed' as "isJudged"
    from events e
    join cameras c on c.camera_id = e.camera_id
    where e.event_id = ${eventId}
  `;
  return row;
}

/** Returns since when the object was parked whose departure the event reports; null for any other event. */
export async function parkedSinceOf(sql: Sql, eventId: number): Promise<Date | null> {
  const [row] = await sql<[{ parkedSince: Date | null }?]>`
    select e.parked_since as "parkedSince"
    from events e
    where e.event_id = ${eventId}
  `;
  return row?.parkedSince ?? null;
}

/** Returns the objects that are parked in the pictures of an event and do not belong to it, by class and start. */
export async function parkedInPictures(sql: Sql, eventId: number): Promise<readonly { readonly type: string; readonly since: Date }[]> {
  return await sql<{ type: string; since: Date }[]>`
    select mode() within group (order by p.object_type) as type, p.parked_since as since
    from (select distinct d.image_id from detections d where d.event_id = ${eventId}) i
    join detections p on p.image_id = i.image_id
    where p.parked_since is not null
      and p.event_id is null
    group by p.parked_since
    order by p.parked_since
    limit 10
  `;
}

/** One detection in one picture. */
export interface Sighting {
  readonly objectType: string;
  readonly confidence: number;
  /** The same for all detections in one picture or frame. */
  readonly frame: string;
  /** Area of the box in pixels; null without a box. */
  readonly boxArea: number | null;
  /** Area of the picture in pixels; null if unknown. */
  readonly pictureArea: number | null;
  /** The zones that it is in. */
  readonly zones: readonly string[];
  /** Enrichment as stored in jsonb. */
  readonly enrichment: unknown;
}

/** Returns all detections of an event in order of time. */
export async function sightingsOf(sql: Sql, eventId: number): Promise<readonly Sighting[]> {
  return await sql<Sighting[]>`
    select d.object_type as "objectType", d.confidence, d.enrichment,
      concat(d.image_id, ' ', d.file_path, ' ', d.video_offset_seconds) as frame,
      d.bbox_width::float8 * d.bbox_height as "boxArea",
      i.width::float8 * i.height as "pictureArea", ${zonesOfDetection(sql)} as zones
    from detections d
    left join images i on i.image_id = d.image_id
    where d.event_id = ${eventId}
    order by d.detected_at, d.detection_id
  `;
}

/** Marks events as waiting for an analysis and announces that. Their scores stay until the new ones arrive. */
export async function awaitAnalyses(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  await sql`
    update events e
    set analysis_status = 'pending', updated_at = ${now}
    where e.event_id = any (${[...eventIds]}::bigint[])
      and e.analysis_status <> 'pending'
  `;
  const events = (await findEvents(sql, eventIds)).filter(({ deleted_at }) => deleted_at === null);
  await appendToJournal(
    sql,
    events.map((data) => ({ type: "event.updated" as const, data })),
    now,
  );
}
