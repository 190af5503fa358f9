import type { Sql } from "../../platform/database/database.ts";

/** A detection whose picture may be shown to a model. */
export interface CropCandidate {
  readonly id: number;
  readonly objectType: string;
  readonly confidence: number;
  readonly detectedAt: Date;
  /** The same for all detections in one picture or frame. */
  readonly frame: string;
}

/** Returns the most confident detections of an event, the best first. */
export async function cropCandidates(sql: Sql, eventId: number): Promise<readonly CropCandidate[]> {
  return await sql<CropCandidate[]>`
    select d.detection_id as id, d.object_type as "objectType", d.confidence, d.detected_at as "detectedAt",
      concat(d.image_id, ' ', d.file_path, ' ', d.video_offset_seconds) as frame
    from detections d
    where d.event_id = ${eventId}
    order by d.confidence desc, d.detection_id
    limit 200
  `;
}

/** Returns the detections whose pictures the model saw that gave an event its score, in the order it saw them. */
export async function shownToModel(sql: Sql, eventId: number): Promise<readonly number[]> {
  const [row] = await sql<[{ shown: readonly number[] | null }?]>`
    select a.shown_detection_ids as shown
    from analysis_attempts a
    where a.event_id = ${eventId}
      and a.outcome = 'completed'
    order by a.attempt desc
    limit 1
  `;
  return row?.shown ?? [];
}
