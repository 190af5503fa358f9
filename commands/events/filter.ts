import { choice, choiceList, integer, list, time, toggle } from "../input/options.ts";

/** What events are narrowed by, in lists, searches and exports. */
export const filterOptions = {
  cameraId: list("id", "Only of this camera; repeat it or use commas for several"),
  riskLevel: choiceList(["low", "medium", "high", "critical"], "Only of this level; repeat it or use commas for several"),
  objectType: list("class", "Only with this class, such as person; repeat it or use commas for several"),
  startDate: time("Only from this time on"),
  endDate: time("Only up to this time"),
  reviewed: toggle("Only reviewed events; --no-reviewed only the others"),
  minRiskScore: integer("score", 0, 100, "Only with at least this score"),
  kind: choice(["event", "camera_health", "all"], "What cameras saw, or what was wrong with cameras; without it, what they saw"),
};

type Given = { readonly [K in keyof typeof filterOptions]: ReturnType<(typeof filterOptions)[K]["read"]> };

/** The query of the API for what was given. */
export function filterQuery(options: Given) {
  return {
    camera_id: options.cameraId,
    risk_level: options.riskLevel,
    object_type: options.objectType,
    start_date: options.startDate,
    end_date: options.endDate,
    reviewed: options.reviewed,
    min_risk_score: options.minRiskScore,
    kind: options.kind,
  };
}
