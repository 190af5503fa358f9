import { evaluate } from "../../alerting/rules/evaluate.ts";
import type { Rule } from "../../alerting/rules/rule.ts";
import { isWithin } from "../../alerting/rules/schedule.ts";
import { minuteMs } from "../../base/clock/clock.ts";
import { severities } from "../../contract/constants.ts";

/** The events that can happen in this installation. */
export interface Possible {
  readonly now: Date;
  /** Ids of the cameras that are not deleted. */
  readonly cameraIds: readonly string[];
  /** Classes that the detector can find. */
  readonly classes: readonly string[];
  /** The highest recent risk score; undefined when too few events have one. */
  readonly highestScore: number | undefined;
}

/** Two weeks contain each weekday twice, so a change to or from daylight saving time cannot decide alone. */
const minutesAhead = 14 * 24 * 60;

/**
 * Returns why an enabled rule can never raise an alert, or undefined when it can. It passes the most severe event that is possible here to
 * the code that evaluates real events: all classes with full confidence, the highest score, a camera of the rule, a time of its schedule.
 */
export function whyNever(rule: Rule, { now, cameraIds, classes }: Omit<Possible, "highestScore">): string | undefined {
  const storedAt = hasUnknownZone(rule) ? now : momentWithin(rule, now);
  if (storedAt === undefined) return "its schedule contains no minute";
  if (cameraIds.length === 0) return "there is no camera";
  const isEvent = rule.kind === "event";
  const verdicts = cameraIds.map((cameraId) =>
    evaluate(rule, {
      eventId: 0,
      kind: rule.kind,
      cameraId,
      riskScore: isEvent ? 100 : null,
      storedAt,
      objects: isEvent ? classes.map((objectType) => ({ objectType, confidence: 1 })) : [],
    }),
  );
  if (verdicts.some(({ matches }) => matches)) return undefined;
  const missing = missingCameras(rule, cameraIds);
  if (missing.length > 0 && missing.length === rule.camera_ids?.length)
    return missing.length === 1 ? `its camera ${missing[0]} does not exist` : `its cameras (${missing.join(", ")}) do not exist`;
  const undetected = undetectedTypes(rule, classes);
  if (isEvent && undetected.length > 0 && undetected.length === rule.object_types?.length)
    return `the detector never finds ${undetected.join(" or ")}, only ${classes.join(", ")}`;
  return `its conditions contradict each other: ${verdicts[0]?.failedConditions.join(", ")}`;
}

/** Returns what is probably a mistake in a rule that can fire, or undefined. */
export function whySeldom(rule: Rule, { cameraIds, classes, highestScore }: Possible): string | undefined {
  if (hasUnknownZone(rule)) return `this Node.js does not know its time zone ${rule.schedule?.timezone}, so it alerts at any time`;
  const missing = missingCameras(rule, cameraIds);
  if (missing.length > 0) return `its camera ${missing.join(", ")} no longer exists`;
  const undetected = undetectedTypes(rule, classes);
  if (undetected.length > 0) return `the detector never finds ${undetected.join(" or ")}`;
  if (rule.risk_threshold !== null && highestScore !== undefined && highestScore < rule.risk_threshold)
    return `no event of the last 30 days reached a risk score of ${rule.risk_threshold}; the highest was ${highestScore}`;
  return undefined;
}

function missingCameras(rule: Rule, cameraIds: readonly string[]): readonly string[] {
  return (rule.camera_ids ?? []).filter((id) => !cameraIds.includes(id));
}

function undetectedTypes(rule: Rule, classes: readonly string[]): readonly string[] {
  return (rule.object_types ?? []).filter((type) => !classes.includes(type.toLowerCase()));
}

function hasUnknownZone({ schedule }: Rule): boolean {
  try {
    if (schedule) isWithin(schedule, new Date(0));
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

/** The next minute within the schedule of a rule; now when it has none. */
function momentWithin({ schedule }: Rule, now: Date): Date | undefined {
  if (schedule === null) return now;
  for (let minute = 0; minute < minutesAhead; minute += 1) {
    const at = new Date(now.getTime() + minute * minuteMs);
    if (isWithin(schedule, at)) return at;
  }
  return undefined;
}

/** A rule that alerts first. If it is less severe, `escalate` on the other rule lets that one alert too. */
export interface Holder {
  readonly rule: Rule;
  readonly isLessSevere: boolean;
}

/**
 * Returns the rule that suppresses `rule`, which waits for the risk score. The other rule needs no score, so it alerts when the event is
 * stored, under the same dedup key, with a lower severity or fewer channels. Undefined when there is none, or when `rule` has no channel.
 */
export function holderOf(rule: Rule, others: readonly Rule[]): Holder | undefined {
  if (rule.kind !== "event" || rule.risk_threshold === null || !rule.channels?.length) return undefined;
  for (const other of others) {
    if (other.kind !== "event" || other.risk_threshold !== null || other.cooldown_seconds === 0 || !canShareKey(rule, other)) continue;
    const isLessSevere = severities.indexOf(other.severity) < severities.indexOf(rule.severity);
    const coversChannels = rule.channels.every((channel) => other.channels?.includes(channel));
    if (isLessSevere ? !rule.escalate : !coversChannels) return { rule: other, isLessSevere };
  }
  return undefined;
}

/** Whether two rules can have the same dedup key for the same event. */
function canShareKey(one: Rule, other: Rule): boolean {
  const template = one.dedup_key_template;
  if (other.dedup_key_template !== template || template.includes("{rule_id}")) return false;
  if (template.includes("{severity}") && one.severity !== other.severity) return false;
  return canOverlap(one.camera_ids, other.camera_ids);
}

/** Whether two conditions can hold together. A condition that is null or empty accepts everything. */
function canOverlap(one: readonly string[] | null, other: readonly string[] | null): boolean {
  return !one?.length || !other?.length || one.some((item) => other.includes(item));
}
