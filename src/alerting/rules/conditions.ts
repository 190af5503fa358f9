import { alertsIn, authorText, type ModeAt } from "../modes/mode.ts";
import { secondsLate } from "./lateness.ts";
import { hasPlace, judgePlace } from "./place-conditions.ts";
import { mostConfident, type ObjectSeen, type Rule, type RuleDefinition, type RuleFacts, type RuleVerdict, type Schedule } from "./rule.ts";
import { describeSchedule, describeWallTime, isWithin } from "./schedule.ts";

/**
 * Detectors compute in single precision: 0.7 arrives as 0.699999988. Differences this small are ignored, so that "at least 0.7" accepts
 * it.
 */
export const sameConfidence = 1e-6;

/** Marks the failed condition that is the schedule. */
export const outOfSchedule = " not within schedule ";

/** Begins the failed condition that is the mode. */
export const outOfMode = "the home was in mode ";

/** The conditions of a rule, without what happens when they hold. */
export type RuleConditions = Pick<
  RuleDefinition,
  "kind" | "risk_threshold" | "object_types" | "camera_ids" | "zones" | "not_zones" | "min_size" | "min_confidence" | "schedule" | "modes"
>;

/** Evaluates a rule for an event: all conditions that are set must hold. One detection must satisfy class, place, size and confidence together. */
export function evaluate(rule: Rule | RuleConditions, facts: RuleFacts): RuleVerdict {
  const matched: string[] = [];
  const failed: string[] = [];

  // Most rules are about camera events, so only a mismatch is worth a line.
  if (rule.kind !== facts.kind) failed.push(`kind ${facts.kind} is not ${rule.kind}`);
  else if (rule.kind !== "event") matched.push(`kind = ${rule.kind}`);

  if (rule.risk_threshold !== null) {
    const score = facts.riskScore;
    if (score !== null && score >= rule.risk_threshold) matched.push(`risk_score >= ${rule.risk_threshold}`);
    else failed.push(score === null ? `risk_score unknown, not >= ${rule.risk_threshold}` : `risk_score ${score} < ${rule.risk_threshold}`);
  }

  const listed = isSet(rule.object_types) ? ofTypes(facts.objects, rule.object_types) : facts.objects;
  if (isSet(rule.object_types)) {
    const wanted = listText(rule.object_types);
    if (listed.length > 0) matched.push(`object_type in ${wanted}`);
    else failed.push(`object_type ${listText(facts.objects.map(({ objectType }) => objectType))} not in ${wanted}`);
  }

  if (isSet(rule.camera_ids)) {
    const wanted = listText(rule.camera_ids);
    if (rule.camera_ids.includes(facts.cameraId)) matched.push(`camera_id in ${wanted}`);
    else failed.push(`camera_id ${facts.cameraId} not in ${wanted}`);
  }

  // If no listed class was seen, that condition failed, and place and confidence are judged by the classes that were seen.
  const classes = listed.length > 0 ? listed : facts.objects;
  const place = hasPlace(rule) ? judgePlace(rule, facts, classes) : undefined;
  matched.push(...(place?.matched ?? []));
  failed.push(...(place?.failed ?? []));
  const best = mostConfident(place?.remaining ?? classes);
  if (rule.min_confidence !== null) {
    const wanted = numberText(rule.min_confidence);
    if (best && best.confidence >= rule.min_confidence - sameConfidence) matched.push(`confidence >= ${wanted}`);
    else
      failed.push(best ? `confidence ${numberText(best.confidence)} of ${best.objectType} < ${wanted}` : `no detection, not >= ${wanted}`);
  }

  if (rule.schedule !== null) {
    const wanted = describeSchedule(rule.schedule);
    const holds = scheduleHolds(rule.schedule, facts);
    // Prefer one alert too many to a missed one.
    if (holds === undefined) matched.push(`time zone ${rule.schedule.timezone} is not known here, so schedule ${wanted} counts as holding`);
    else if (holds) matched.push(`within schedule ${wanted}${isLate(facts) ? ` (${describeTimes(rule.schedule, facts)})` : ""}`);
    else failed.push(`${describeTimes(rule.schedule, facts)}${outOfSchedule}${wanted}`);
  }

  if (!alertsIn(rule.modes, facts.mode.name)) failed.push(outOfModeText(rule.modes, facts.mode));
  else if (isSet(rule.modes)) matched.push(`mode ${facts.mode.name} in ${listText(rule.modes)}`);

  const matches = failed.length === 0;
  return { matches, matchedConditions: matched, failedConditions: failed, objectType: matches ? (best?.objectType ?? null) : null };
}

function outOfModeText(modes: readonly string[] | null, mode: ModeAt): string {
  const author = authorText(mode);
  const was = `${outOfMode}${mode.name}${author === undefined ? "" : ` (${author})`}`;
  return isSet(modes) ? `${was}; the rule is for ${modes.join(", ")}` : `${was}; only rules that name it alert in it`;
}

/**
 * Tells whether an event lies within the schedule, because it began, ended or was stored then: a night rule must not miss what happened
 * at night only because the detector was away until the morning. An incident lasts, so it lies within the schedule when it is evaluated
 * then. Returns undefined if this Node.js does not know the time zone: another machine may have accepted the rule.
 */
function scheduleHolds(schedule: Schedule, { kind, startedAt, endedAt, storedAt }: RuleFacts): boolean | undefined {
  const times = kind === "event" ? [storedAt, startedAt, endedAt] : [storedAt];
  try {
    return times.some((at) => isWithin(schedule, at));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function isLate(facts: RuleFacts): boolean {
  return secondsLate(facts, facts.storedAt) !== null;
}

/** Formats the time of an event in the schedule's zone; for a late event the times when it happened and when it was stored. */
function describeTimes(schedule: Schedule, facts: RuleFacts): string {
  const stored = describeWallTime(schedule, facts.storedAt);
  return isLate(facts) ? `happened ${describeWallTime(schedule, facts.startedAt)} and stored ${stored}` : stored;
}

/** An empty list means that the condition is not set. */
export function isSet(list: readonly string[] | null): list is readonly string[] {
  return list !== null && list.length > 0;
}

/** Class names are compared without case: a rule for `Person` matches `person`. */
export function ofTypes<T extends ObjectSeen>(objects: readonly T[], types: readonly string[]): readonly T[] {
  return objects.filter(({ objectType }) => types.some((type) => type.toLowerCase() === objectType.toLowerCase()));
}

function listText(items: readonly string[]): string {
  return `[${items.join(", ")}]`;
}

/** At most six decimals: smaller differences are ignored. */
function numberText(value: number): string {
  return String(Number(value.toFixed(6)));
}
