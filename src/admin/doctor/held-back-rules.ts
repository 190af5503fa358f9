import type { Rule } from "../../alerting/rules/rule.ts";
import { severities } from "../../contract/constants.ts";

/** A rule that alerts first, and whether it is less severe: then `escalate` lets the other one pass. */
export interface Holder {
  readonly rule: Rule;
  readonly isLessSevere: boolean;
}

/**
 * The rule that holds back one that waits for the score: it needs none, so that it alerts for the same event when that is stored, under the same
 * dedup key, and is less severe or without a channel of the other one. Undefined where there is none, or what it holds back reaches nobody anyway.
 */
export function holderOf(rule: Rule, others: readonly Rule[]): Holder | undefined {
  if (rule.kind !== "event" || rule.risk_threshold === null || !rule.channels?.length) return undefined;
  for (const other of others) {
    if (other.kind !== "event" || other.risk_threshold !== null || other.cooldown_seconds === 0 || !canShareKey(rule, other)) continue;
    const isLessSevere = severities.indexOf(other.severity) < severities.indexOf(rule.severity);
    const tellsAll = rule.channels.every((channel) => other.channels?.includes(channel));
    if (isLessSevere ? !rule.escalate : !tellsAll) return { rule: other, isLessSevere };
  }
  return undefined;
}

/** Whether two rules can have the same key for the same event. */
function canShareKey(one: Rule, other: Rule): boolean {
  const template = one.dedup_key_template;
  if (other.dedup_key_template !== template || template.includes("{rule_id}")) return false;
  if (template.includes("{severity}") && one.severity !== other.severity) return false;
  return canMeet(one.camera_ids, other.camera_ids);
}

/** Whether two conditions can hold together; one that is null or empty is not set. */
function canMeet(one: readonly string[] | null, other: readonly string[] | null): boolean {
  return !one?.length || !other?.length || one.some((item) => other.includes(item));
}
