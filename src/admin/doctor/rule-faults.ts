import { initialMode } from "../../alerting/modes/mode.ts";
import { evaluate } from "../../alerting/rules/conditions.ts";
import type { Rule } from "../../alerting/rules/rule.ts";
import { severities } from "../../contract/constants.ts";
import type { Area } from "../../monitoring/zones/zone.ts";

/** The events that can happen in this installation. */
export interface Possible {
  readonly now: Date;
  /** Ids of the cameras that are not deleted. */
  readonly cameraIds: readonly string[];
  /** The zones by camera; a camera without zones has no entry. */
  readonly zones?: ReadonlyMap<string, readonly Area[]>;
  /** Classes that the detector can find. */
  readonly classes: readonly string[];
  /** The highest recent risk score; undefined when too few events have one. */
  readonly highestScore: number | undefined;
}

/**
 * Returns why an enabled rule can never raise an alert, or undefined when it can. It passes the most severe event that is possible here to
 * the code that evaluates real events: all classes with full confidence, the highest score, a camera of the rule. Every schedule has a time, and every mode can be chosen.
 */
export function whyNever(rule: Rule, { now, cameraIds, zones = new Map(), classes }: Omit<Possible, "highestScore">): string | undefined {
  const isEvent = rule.kind === "event";
  const objects = isEvent ? classes.map((objectType) => ({ objectType, confidence: 1 })) : [];
  const facts = {
    eventId: 0,
    mode: initialMode,
    kind: rule.kind,
    riskScore: isEvent ? 100 : null,
    startedAt: now,
    endedAt: now,
    storedAt: now,
    objects,
  };
  // Of an unknown place, which any condition on places lets pass
  const placed = objects.map((seen) => ({ ...seen, feet: null, height: null }));
  const verdicts = cameraIds.map((cameraId) =>
    evaluate({ ...rule, schedule: null, modes: null }, { ...facts, cameraId, placed, zones: zones.get(cameraId) ?? [] }),
  );
  if (verdicts.some(({ matches }) => matches)) return undefined;
  const missing = missingCameras(rule, cameraIds);
  if (missing.length > 0 && missing.length === rule.camera_ids?.length)
    return missing.length === 1 ? `its camera ${missing[0]} does not exist` : `its cameras (${missing.join(", ")}) do not exist`;
  const undetected = undetectedTypes(rule, classes);
  if (isEvent && undetected.length > 0 && undetected.length === rule.object_types?.length)
    return `the detector never finds ${undetected.join(" or ")}, only ${classes.join(", ")}`;
  const noZone = verdicts.flatMap(({ failedConditions }) => failedConditions).find((failed) => failed.startsWith("no zone "));
  if (noZone !== undefined) return `there is ${noZone}`;
  return `its conditions contradict each other: ${verdicts[0]?.failedConditions.join(", ")}`;
}

/** Returns what is probably a mistake in a rule that can fire, or undefined. */
export function whySeldom(rule: Rule, { cameraIds, classes, highestScore }: Possible): string | undefined {
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

/**
 * Returns the rule that suppresses `rule`, which waits for the risk score. The other rule needs no score, so it alerts when the event is
 * stored, under the same dedup key, with a lower severity or fewer channels. Undefined when there is none, or when `rule` has no channel.
 */
export function suppressorOf(rule: Rule, others: readonly Rule[]): Rule | undefined {
  const { channels } = rule;
  if (rule.kind !== "event" || rule.risk_threshold === null || !channels?.length) return undefined;
  return others.find((other) => {
    if (other.kind !== "event" || other.risk_threshold !== null || other.cooldown_seconds === 0 || !canShareKey(rule, other)) return false;
    return isLessSevere(other, rule) ? !rule.escalate : !channels.every((channel) => other.channels?.includes(channel));
  });
}

/** Whether a rule has a lower severity; `escalate` then lets the other rule alert too. */
export function isLessSevere(rule: Rule, other: Rule): boolean {
  return severities.indexOf(rule.severity) < severities.indexOf(other.severity);
}

/** Whether two rules can have the same dedup key for the same event. A rule without cameras applies to all. */
function canShareKey(one: Rule, other: Rule): boolean {
  const template = one.dedup_key_template;
  if (other.dedup_key_template !== template || template.includes("{rule_id}")) return false;
  if (template.includes("{severity}") && one.severity !== other.severity) return false;
  const [cameras, others] = [one.camera_ids ?? [], other.camera_ids ?? []];
  return cameras.length === 0 || others.length === 0 || cameras.some((id) => others.includes(id));
}
