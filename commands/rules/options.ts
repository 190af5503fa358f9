import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { choice, choiceList, integer, list, number, type Option, seconds, text, toggle, WrongValue } from "../input/options.ts";
import { parseSchedule, scheduleForm } from "./schedule-text.ts";

const schedule: Option<ReturnType<typeof parseSchedule>> = {
  description:
    "When it holds, by the time at which an event is stored, such as 'mon-fri 22:00-06:00 Europe/Berlin'; without a zone, that of this machine",
  placeholder: "days times zone",
  read: ({ texts }) => {
    const given = texts.at(-1);
    if (given === undefined) return undefined;
    const parsed = parseSchedule(given, localTimeZone());
    if (parsed === undefined) throw new WrongValue(scheduleForm);
    return parsed;
  },
};

/** One flag for each field of a rule. */
export const ruleOptions = {
  name: text("name", "What people call it"),
  kind: choice(["event", "camera_health"], "Whether it is for what cameras see, as a new rule is, or for what is wrong with cameras"),
  severity: choice(["low", "medium", "high", "critical"], "How grave its alerts are; a new rule: medium"),
  riskThreshold: integer("score", 0, 100, "Only events with at least this score"),
  objectTypes: list("class", "Only events with one of these classes, such as person,dog"),
  cameras: list("id", "Only events of these cameras"),
  minConfidence: number("confidence", 0, 1, "Only detections that are at least so sure"),
  schedule,
  cooldown: seconds(0, 31_536_000, "How long an alert holds back others; a new rule: 5m"),
  channels: choiceList(["email", "webhook", "push"], "How its alerts are told"),
  dedupKeyTemplate: text(
    "template",
    "Alerts with the same key share a cooldown; without {rule_id} different rules hold back each other; a new rule: {camera_id}:{rule_id}",
  ),
  escalate: toggle(
    "An event in a higher risk band passes the cooldown, and so does this rule that of a less severe one for the same event",
  ),
  digest: toggle("When a cooldown ends, say what it held back"),
  enabled: toggle("--no-enabled: make it switched off"),
};

type Given = { readonly [K in keyof typeof ruleOptions]: ReturnType<(typeof ruleOptions)[K]["read"]> };

/** The fields of the API for what was given. */
export function ruleBody(options: Given) {
  return {
    name: options.name,
    kind: options.kind,
    severity: options.severity,
    risk_threshold: options.riskThreshold,
    object_types: options.objectTypes,
    camera_ids: options.cameras,
    min_confidence: options.minConfidence,
    schedule: options.schedule,
    cooldown_seconds: options.cooldown,
    channels: options.channels,
    dedup_key_template: options.dedupKeyTemplate,
    escalate: options.escalate,
    digest: options.digest,
    enabled: options.enabled,
  };
}
