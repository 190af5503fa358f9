import type { Sql } from "../../platform/database/database.ts";
import type { Box } from "./detection.ts";

/** A detection to enrich. */
export interface Subject {
  readonly id: number;
  readonly batchId: string | null;
  readonly cameraId: string;
  readonly objectType: string;
  readonly confidence: number;
  readonly detectedAt: Date;
  readonly createdAt: Date;
  readonly videoOffsetSeconds: number | null;
  readonly box: Box | null;
  /** Results of an earlier attempt, as stored in jsonb. */
  readonly enrichment: unknown;
}

/** Returns the detections in a picture that are neither parked nor hidden, the most confident first. */
export async function subjectsOnImage(sql: Sql, imageId: number): Promise<readonly Subject[]> {
  const rows = await sql<(Omit<Subject, "box"> & { x: number | null; y: number | null; width: number | null; height: number | null })[]>`
    select d.detection_id as id, d.batch_id as "batchId", d.camera_id as "cameraId", d.object_type as "objectType", d.confidence, d.detected_at as "detectedAt",
      d.created_at as "createdAt", d.video_offset_seconds as "videoOffsetSeconds", d.enrichment,
      d.bbox_x as x, d.bbox_y as y, d.bbox_width as width, d.bbox_height as height
    from detections d
    where d.image_id = ${imageId}
      and d.parked_since is null
      and d.mask_id is null
    order by d.confidence desc, d.detection_id
  `;
  return rows.map(({ x, y, width, height, ...row }) => ({
    ...row,
    box: x === null || y === null || width === null || height === null ? null : { x, y, width, height },
  }));
}

/** Enrichment of a detection: `enrichment` is JSON. */
export interface NewEnrichment {
  readonly detectionId: number;
  readonly entityId: string | null;
  readonly enrichment: string;
}

/** Stores enrichments; deleted detections stay deleted. */
export async function storeEnrichments(sql: Sql, found: readonly NewEnrichment[]): Promise<void> {
  if (found.length === 0) return;
  await sql`
    with found as materialized (
      select d.detection_id, f.entity_id, f.enrichment
      from unnest(
        ${found.map(({ detectionId }) => detectionId)}::bigint[],
        ${found.map(({ entityId }) => entityId)}::uuid[],
        ${found.map(({ enrichment }) => enrichment)}::text[]
      ) as f (detection_id, entity_id, enrichment)
      join detections d on d.detection_id = f.detection_id
      order by d.detection_id
      for no key update of d
    )
    update detections d
    set enrichment = found.enrichment::jsonb, entity_id = found.entity_id
    from found
    where d.detection_id = found.detection_id
  `;
}
