import { eventKindFilters, ranges, riskLevels } from "../../src/contract/constants.ts";
import type { Values } from "../command.ts";
import { classes } from "../input/classes.ts";
import { choice, choiceList, idOf, integer, list, toggle } from "../input/options.ts";
import { period } from "../input/time-options.ts";

/** The filters of event lists, searches and exports. */
export const filterOptions = {
  camera_id: idOf("cameraFilter", list("camera", "Only these cameras, by id or name, separated by commas")),
  risk_level: choiceList(riskLevels, "Only these levels, separated by commas"),
  object_type: classes("Only these classes, such as person,dog"),
  ...period(),
  reviewed: toggle("Only reviewed events; --no-reviewed for the others"),
  pinned: toggle("Only pinned events; --no-pinned for the others"),
  min_risk_score: integer("score", ...ranges.riskScore, "Minimum risk score, 0 to 100"),
  kind: choice(eventKindFilters, "Detections or camera incidents (default event)"),
};

export type EventFilter = Values<typeof filterOptions>;
