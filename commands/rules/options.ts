import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { eventKinds, ranges, severities } from "../../src/contract/constants.ts";
import type { Values } from "../command.ts";
import { classes } from "../input/classes.ts";
import { choice, idOf, integer, list, number, seconds, single, text, toggle, WrongValue } from "../input/options.ts";
import { parseSchedule, scheduleForm } from "./schedule-text.ts";

const schedule = single(
  "days times zone",
  "Schedule, such as 'mon-fri 22:00-06:00 Europe/Berlin' (default zone local)",
  (given): NonNullable<ReturnType<typeof parseSchedule>> => {
    const parsed = parseSchedule(given, localTimeZone());
    if (parsed === undefined) throw new WrongValue(scheduleForm);
    return parsed;
  },
);

/** One flag per field of a rule. */
export const ruleOptions = {
  name: text("name", "Name of the rule"),
  kind: choice(eventKinds, "Detections or camera incidents (default event)"),
  severity: choice(severities, "Alert severity (default medium)"),
  risk_threshold: integer("score", ...ranges.riskScore, "Minimum risk score, 0 to 100"),
  object_types: classes("Only these classes, such as person,dog"),
  cameras: idOf("cameraFilter", list("camera", "Only these cameras, by id or name, separated by commas")),
  zones: list("zone", "Only detections in one of these zones"),
  not_zones: list("zone", "Ignore detections in these zones"),
  min_size: number("share", ...ranges.confidence, "Minimum height of a detection, 0 to 1 of the picture's"),
  min_confidence: number("confidence", ...ranges.confidence, "Minimum confidence, 0 to 1"),
  schedule,
  modes: { ...list("mode", "Only in these modes of the home, such as away,night"), flag: "mode" },
  cooldown: seconds(0, 31_536_000, "Cooldown between alerts (default 5m)"),
  channels: list("channel", "email, webhook, push, all, or names of channels, recipients, webhooks"),
  dedup_key_template: text("template", "Key of alerts that share a cooldown (default {camera_id}:{rule_id})"),
  escalate: toggle("Let more severe events bypass the cooldown"),
  digest: toggle("Send a summary of suppressed alerts after the cooldown"),
  immediate: toggle("Alert during the visit, without the risk score"),
  enabled: toggle("Create it enabled; --no-enabled to create it disabled"),
};

/** The API fields for these options. */
export function ruleBody({ cameras: camera_ids, cooldown: cooldown_seconds, ...fields }: Partial<Values<typeof ruleOptions>>) {
  return { ...fields, camera_ids, cooldown_seconds };
}
