import { ranges } from "../../src/contract/constants.ts";
import type { Values } from "../command.ts";
import { classes } from "../input/classes.ts";
import { idOf, integer, list, number, toggle } from "../input/options.ts";
import { period } from "../input/time-options.ts";

/** The filters of detection counts. */
export const rangeOptions = {
  camera_id: idOf("cameraFilter", list("camera", "Only these cameras, by id or name, separated by commas")),
  object_type: classes("Only these classes, such as person,dog"),
  ...period(),
};

/** The filters of detection lists and searches. */
export const filterOptions = {
  ...rangeOptions,
  min_confidence: number("confidence", ...ranges.confidence, "Minimum confidence, 0 to 1"),
  event_id: idOf("event", integer("id", ...ranges.id, "Only detections of this event")),
  hidden: toggle("Only detections that masks hide; --no-hidden for the others"),
};

export type DetectionFilter = Values<typeof filterOptions>;
