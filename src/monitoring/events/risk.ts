import { riskLevels } from "../../contract/constants.ts";

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
export function riskBand(level: RiskLevel | null): number {
  return level === null ? 0 : riskLevels.indexOf(level) + 1;
}
