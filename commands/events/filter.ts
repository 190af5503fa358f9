import { eventKindFilters, ranges, riskLevels } from "../../src/contract/constants.ts";
import type { Values } from "../command.ts";
import { choice, choiceList, integer, list, time, toggle } from "../input/options.ts";

/** The filters of event lists, searches and exports. */
export const filterOptions = {
  cameraId: list("id", "Only these cameras, separated by commas"),
  riskLevel: choiceList(riskLevels, "Only these levels, separated by commas"),
  objectType: list("class", "Only these classes, such as person,dog"),
  startDate: time("Only from this time on"),
  endDate: time("Only up to this time"),
  reviewed: toggle("Only reviewed events; --no-reviewed for the others"),
  minRiskScore: integer("score", ...ranges.riskScore, "Minimum risk score, 0 to 100"),
  kind: choice(eventKindFilters, "Detections or camera incidents (default event)"),
};

/** The API query for these options. */
export function filterQuery(options: Values<typeof filterOptions>) {
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
