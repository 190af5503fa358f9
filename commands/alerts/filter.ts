import { ranges, severities } from "../../src/contract/constants.ts";
import type { Values } from "../command.ts";
import { choice, idOf, integer, text } from "../input/options.ts";
import { period } from "../input/time-options.ts";

/** The filters of alerts besides their status. */
export const alertFilterOptions = {
  severity: choice(severities, "Only alerts of this severity"),
  rule_id: idOf("rule", text("rule", "Only alerts of this rule, by id or name")),
  camera_id: idOf("cameraFilter", text("camera", "Only alerts of this camera, by id or name")),
  event_id: idOf("event", integer("id", ...ranges.id, "Only alerts of this event")),
  ...period(),
};

export type AlertFilter = Values<typeof alertFilterOptions>;
