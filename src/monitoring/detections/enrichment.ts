import { z } from "zod";
import { notFound } from "../../contract/problem.ts";
import { type detectionRoutes, Enrichment as EnrichmentRecord } from "../../contract/routes/detections.ts";
import type { Operation } from "../../work/operations/operation.ts";
import { findEnrichment } from "./detections-repository.ts";

/** What the enrichment services found out about a detection, as clients see it. */
export type Enrichment = z.output<typeof EnrichmentRecord>;

const { detection_id: _id, ...fields } = EnrichmentRecord.shape;
const Stored = z.object(fields).partial();

/** The record of what is stored. What no service found out is empty. Throws a `ZodError` when it is not what it should be. */
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

/** What is stored of an enrichment, as JSON. */
export function storedEnrichment({ detection_id: _, ...enrichment }: Enrichment): string {
  return JSON.stringify(enrichment);
}

export const getDetectionEnrichment: Operation<(typeof detectionRoutes)["getDetectionEnrichment"]> = async ({ params }, { db }) => {
  const found = await db.query((sql) => findEnrichment(sql, params.detection_id));
  if (!found) throw notFound("Detection", params.detection_id);
  return enrichmentOf(params.detection_id, found.enrichment);
};
