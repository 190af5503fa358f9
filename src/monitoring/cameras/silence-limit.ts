import { dayMs } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import { learnedGaps, rhythmOf } from "./rhythm.ts";
import { gapsBetweenPictures } from "./silence-repository.ts";

/** A camera without a rhythm is silent after this time, unless the configuration sets another. */
export const unlearnedLimitMs = dayMs;

/**
 * The part of a reason that says that a silence may be no fault. Recipients get one message about such a silence and none about its end,
 * since a camera that uploads on motion may be quiet for days.
 */
export const mayBeNoFault = "it uploads at irregular times, so it may have seen nothing";

/**
 * How long a camera may be without a picture, and where that comes from: the configuration, the learned rhythm, or neither, for a camera
 * that uploads on motion.
 */
export type SilenceLimit =
  | { readonly source: "configured"; readonly limitMs: number }
  | { readonly source: "rhythm"; readonly limitMs: number; readonly usualGapMs: number }
  | { readonly source: "none"; readonly limitMs: number };

/** Criteria for the limit of a camera. */
export interface LimitCriteria {
  /** Only pictures up to this time count. */
  readonly until: Date;
  /** CAMERA_OFFLINE_AFTER_SECONDS if a person has set it. */
  readonly offlineAfterSeconds: number | undefined;
  /** The rhythm was wrong lately: it may not make the limit shorter than that of a camera without one. */
  readonly distrustsRhythm?: boolean;
}

/**
 * Returns how long a camera may be without a picture: the configured time; without one, the limit of its rhythm; without a rhythm, a day.
 */
export async function silenceLimit(sql: Sql, cameraId: string, criteria: LimitCriteria): Promise<SilenceLimit> {
  const { until, offlineAfterSeconds, distrustsRhythm = false } = criteria;
  if (offlineAfterSeconds !== undefined) return { source: "configured", limitMs: offlineAfterSeconds * 1000 };
  const rhythm = rhythmOf(await gapsBetweenPictures(sql, cameraId, until, learnedGaps));
  if (!rhythm || (distrustsRhythm && rhythm.limitMs < unlearnedLimitMs)) return { source: "none", limitMs: unlearnedLimitMs };
  return { source: "rhythm", ...rhythm };
}
