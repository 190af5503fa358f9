import { z } from "zod";
import { notFound } from "../../contract/problem.ts";
import { type detectionRoutes, Enrichment as EnrichmentRecord } from "../../contract/routes/detections.ts";
import type { Operation } from "../../work/operations/operation.ts";
import { findEnrichment } from "./detections-repository.ts";

/** Results of the enrichment services for a detection, as clients see them. */
export type Enrichment = z.output<typeof EnrichmentRecord>;

const { detection_id: _id, ...fields } = EnrichmentRecord.shape;
const Stored = z.object(fields).partial();

/** Converts the stored form to the record; missing results are empty. Throws a `ZodError` if it is invalid. */
export function enrichmentOf(detectionId: number, stored: unknown): Enrichment {
  const known = Stored.parse(stored ?? {});
  return {
    detection_id: detectionId,
    enriched_at: known.enriched_at ?? null,
    attributes: known.attributes ?? {},
    ocr: known.ocr ?? [],
    caption: known.caption ?? null,
    entity_id: known.entity_id ?? null,
    has_embedding: known.has_embedding ?? false,
    services: known.services ?? { vision: null, embedder: null, enrichment: null },
    errors: known.errors ?? [],
  };
}

/** Returns the stored form of an enrichment as JSON. */
export function storedEnrichment({ detection_id: _, ...enrichment }: Enrichment): string {
  return JSON.stringify(enrichment);
}

export const getDetectionEnrichment: Operation<(typeof detectionRoutes)["getDetectionEnrichment"]> = async ({ params }, { db }) => {
  const found = await db.query((sql) => findEnrichment(sql, params.detection_id));
  if (!found) throw notFound("Detection", params.detection_id);
  return enrichmentOf(params.detection_id, found.enrichment);
};
