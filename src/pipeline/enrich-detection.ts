import type { Enrichment } from "../monitoring/detections/enrichment.ts";
import type { Subject } from "../monitoring/detections/enrichment-repository.ts";
import type { Recognised } from "../monitoring/entities/recognition.ts";
import { cleanText } from "../monitoring/upstream/answer.ts";
import type { Attributes } from "../monitoring/upstream/attributes.ts";
import type { CallResult } from "../monitoring/upstream/call.ts";
import type { Embedder, Embedding } from "../monitoring/upstream/embedder.ts";
import type { Enricher } from "../monitoring/upstream/enricher.ts";
import type { Picture } from "../monitoring/upstream/multipart.ts";
import type { Vision, VisionReading } from "../monitoring/upstream/vision.ts";

/** The services that enrich a detection. */
export interface EnrichmentServices {
  readonly vision: Vision;
  readonly embedder: Embedder;
  readonly enricher: Enricher;
  /** Name of the current embedder. */
  embedderLabel(): string;
}

/** The features that are on. */
export interface Wanted {
  readonly vision: boolean;
  readonly reid: boolean;
}

/** The answers of the services that process the picture; undefined if a service was not called. */
export interface Answers {
  readonly reading: CallResult<VisionReading> | undefined;
  readonly embedding: CallResult<Embedding> | undefined;
  readonly source: string;
}

/** The enrichment of a detection after an attempt, and the time of the next one; undefined if there is none. */
export interface Found {
  readonly enrichment: Enrichment;
  readonly retryAt: Date | undefined;
}

const longestError = 300;

/** Calls vision and embedder for a detection, unless an earlier attempt already got their answers. */
export async function callServices(
  subject: Subject,
  picture: Picture,
  { services, wanted, prior }: { readonly services: EnrichmentServices; readonly wanted: Wanted; readonly prior: Enrichment },
  signal: AbortSignal,
): Promise<Answers> {
  const { box } = subject;
  const source = services.embedderLabel();
  const [reading, embedding] = await Promise.all([
    box && wanted.vision && prior.services.vision !== "completed" ? services.vision.extract(picture, box, signal) : undefined,
    box && wanted.reid && !prior.has_embedding ? services.embedder.embed(picture, box, signal) : undefined,
  ]);
  return { reading, embedding, source };
}

/** Combines the known facts about a detection with the enrichment service's answer. */
export async function combine(
  subject: Subject,
  { answers, recognised, prior }: { readonly answers: Answers; readonly recognised: Recognised | undefined; readonly prior: Enrichment },
  { services, wanted, now }: { readonly services: EnrichmentServices; readonly wanted: Wanted; readonly now: Date },
  signal: AbortSignal,
): Promise<Found> {
  const { box } = subject;
  if (!box) return skipped(prior, wanted, "the detection has no box", now);
  const reading = answers.reading?.kind === "answered" ? answers.reading.value : undefined;
  const attributes = reading?.attributes ?? (prior.attributes as Attributes);
  const entityId = recognised?.entityId ?? prior.entity_id;
  const merged = wanted.vision
    ? await services.enricher.enrich(
        {
          detection: {
            id: subject.id,
            camera_id: subject.cameraId,
            object_type: subject.objectType,
            confidence: subject.confidence,
            detected_at: subject.detectedAt,
            bbox: box,
          },
          attributes,
          embedding_match:
            entityId === null
              ? null
              : { entity_id: entityId, similarity: recognised?.similarity ?? null, seen_before: recognised?.seenBefore ?? true },
        },
        signal,
      )
    : undefined;
  const results = { vision: answers.reading, embedder: answers.embedding, enrichment: merged };
  const embedded = recognised !== undefined || prior.has_embedding;
  return {
    enrichment: {
      detection_id: subject.id,
      enriched_at: now,
      attributes: merged?.kind === "answered" ? merged.value : attributes,
      ocr: reading ? [...reading.ocr] : prior.ocr,
      caption: reading ? reading.caption : prior.caption,
      entity_id: entityId,
      has_embedding: embedded,
      services: {
        vision: outcome(answers.reading) ?? prior.services.vision,
        embedder: embedded ? "completed" : (outcome(answers.embedding) ?? prior.services.embedder),
        enrichment: outcome(merged) ?? prior.services.enrichment,
      },
      errors: Object.entries(results).flatMap(([name, result]) =>
        result && result.kind !== "answered" ? [cleanText(`${name}: ${result.detail}`, longestError)] : [],
      ),
    },
    retryAt: latest(Object.values(results).flatMap((result) => (result?.kind === "unavailable" ? [result.retryAt] : []))),
  };
}

/** Returns the result for a detection that no service processed, with the reason. */
export function skipped(prior: Enrichment, wanted: Wanted, reason: string, now: Date): Found {
  const service = (isWanted: boolean, before: "completed" | "failed" | "skipped" | null) => before ?? (isWanted ? "skipped" : null);
  const services = {
    vision: service(wanted.vision, prior.services.vision),
    embedder: service(wanted.reid, prior.services.embedder),
    enrichment: service(wanted.vision, prior.services.enrichment),
  };
  return { enrichment: { ...prior, enriched_at: now, services, errors: [cleanText(reason, longestError)] }, retryAt: undefined };
}

function outcome(result: CallResult<unknown> | undefined): "completed" | "failed" | undefined {
  if (!result) return undefined;
  return result.kind === "answered" ? "completed" : "failed";
}

function latest(times: readonly Date[]): Date | undefined {
  return times.reduce<Date | undefined>((last, time) => (last && last >= time ? last : time), undefined);
}
