import { z } from "zod";
import { minuteMs } from "../../base/clock/clock.ts";
import { type analysisStatuses, type eventKinds, riskLevels } from "../../contract/constants.ts";
import {
  type Event as EventRecord,
  type EventWithDetections as EventWithDetectionsRecord,
  RiskFactor,
} from "../../contract/routes/events.ts";

import { noPreview, type PreviewOfBest } from "../detections/previews-repository.ts";

/** An event as clients see it. */
export type Event = z.output<typeof EventRecord>;
export type EventWithDetections = z.output<typeof EventWithDetectionsRecord>;
export type EventKind = (typeof eventKinds)[number];
export type AnalysisStatus = (typeof analysisStatuses)[number];

/** An event that ended this long ago is backlog: live ones are analysed first. */
export const backlogAfterMs = 10 * minuteMs;

/** Columns of an event, named as in its record, with `risk_factors` as stored in jsonb. */
export type EventRow = Omit<Event, "risk_factors" | "thumbnail_url" | keyof PreviewOfBest> & {
  readonly risk_factors: unknown;
  readonly cover_detection_id: number | null;
  readonly best: PreviewOfBest | null;
};

const RiskFactors = z.array(RiskFactor);

/** Converts a row to its record. Throws a `ZodError` if the stored factors are invalid. */
export function recordOf({ cover_detection_id: id, best, ...row }: EventRow): Event {
  return {
    ...row,
    risk_factors: RiskFactors.parse(row.risk_factors),
    thumbnail_url: id === null ? null : `/api/detections/${id}/thumbnail`,
    ...(best ?? noPreview),
  };
}

export type RiskLevel = (typeof riskLevels)[number];

/** Lower bounds of the risk levels, ascending from 0. */
export type RiskThresholds = Readonly<Record<RiskLevel, number>>;

/** Returns the risk level of a score from 0 to 100: the highest level whose lower bound it reaches. All levels are derived here. */
export function riskLevel(score: number, thresholds: RiskThresholds): RiskLevel {
  if (score >= thresholds.critical) return "critical";
  if (score >= thresholds.high) return "high";
  return score >= thresholds.medium ? "medium" : "low";
}

/** Returns the rank of a risk level: 0 for an event without a score, 1 for low to 4 for critical. */
export function riskRank(level: RiskLevel | null): number {
  return level === null ? 0 : riskLevels.indexOf(level) + 1;
}
