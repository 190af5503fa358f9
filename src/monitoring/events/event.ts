import { z } from "zod";
import type { analysisStatuses, eventKinds } from "../../contract/constants.ts";
import {
  type Event as EventRecord,
  type EventWithDetections as EventWithDetectionsRecord,
  RiskFactor,
} from "../../contract/routes/events.ts";

/** An event as clients see it. */
export type Event = z.output<typeof EventRecord>;
export type EventWithDetections = z.output<typeof EventWithDetectionsRecord>;
export type EventKind = (typeof eventKinds)[number];
export type AnalysisStatus = (typeof analysisStatuses)[number];

/** Columns of an event, named as in its record, with `risk_factors` as stored in jsonb. */
export type EventRow = Omit<Event, "risk_factors" | "thumbnail_url"> & {
  readonly risk_factors: unknown;
  readonly cover_detection_id: number | null;
};

const RiskFactors = z.array(RiskFactor);

/** Converts a row to its record. Throws a `ZodError` if the stored factors are invalid. */
export function recordOf({ cover_detection_id: cover, ...row }: EventRow): Event {
  return {
    ...row,
    risk_factors: RiskFactors.parse(row.risk_factors),
    thumbnail_url: cover === null ? null : `/api/detections/${cover}/thumbnail`,
  };
}
