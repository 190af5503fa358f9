import { riskLevels } from "../../contract/constants.ts";

export type RiskLevel = (typeof riskLevels)[number];

/** Lower bounds of the bands, ascending from 0. */
export type RiskThresholds = Readonly<Record<RiskLevel, number>>;

/** The level of a score from 0 to 100: the highest band whose lower bound it reaches. The one place where a level comes from. */
export function riskLevel(score: number, thresholds: RiskThresholds): RiskLevel {
  if (score >= thresholds.critical) return "critical";
  if (score >= thresholds.high) return "high";
  return score >= thresholds.medium ? "medium" : "low";
}

/** The band of an event's risk: 0 for one that is not judged, 1 for low to 4 for critical. */
export function riskBand(level: RiskLevel | null): number {
  return level === null ? 0 : riskLevels.indexOf(level) + 1;
}
