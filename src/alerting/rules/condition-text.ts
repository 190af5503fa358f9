import type { conditionFields } from "../../contract/constants.ts";
import { outOfMode, outOfSchedule } from "./conditions.ts";

/** How a condition that matched reads for people. A null text says nothing that the message does not say anyway. */
const forms: readonly { readonly condition: RegExp; readonly text: (value: string) => string | null }[] = [
  { condition: /^risk_score >= (\d+)$/, text: (score) => `the risk score is ${score} or more` },
  { condition: /^object_type in \[(.*)\]$/s, text: (names) => `${alternatives(names)} was seen` },
  { condition: /^zone in \[(.*)\]$/s, text: (names) => `it was in ${alternatives(names)}` },
  { condition: /^zone not in \[(.*)\]$/s, text: (names) => `it was not in ${alternatives(names)}` },
  { condition: /^size >= ([\d.]+)$/, text: (value) => `it was at least ${percent(value)} of the picture's height` },
  { condition: /^confidence >= ([\d.]+)$/, text: (value) => `the confidence is ${percent(value)} or more` },
  { condition: /^within schedule (.*)$/s, text: (schedule) => `it was within ${schedule}` },
  { condition: /^mode (\S+) in \[.*\]$/s, text: (mode) => `the home was in mode ${mode}` },
  { condition: /^camera_id in \[.*\]$/s, text: () => null },
  { condition: /^kind = .*$/s, text: () => null },
];

/**
 * Writes the matched conditions of a rule, as `evaluate` stores them, for people: `object_type in [person]` as `person was seen`. Other
 * texts stay as they are.
 */
export function conditionTexts(conditions: readonly string[]): readonly string[] {
  return conditions.flatMap((condition) => {
    const form = forms.find((each) => each.condition.test(condition));
    if (!form) return [condition];
    return form.text(form.condition.exec(condition)?.[1] ?? "") ?? [];
  });
}

/** A field of a rule that is a condition. */
export type ConditionField = (typeof conditionFields)[number];

/** Which field a failed condition belongs to, by how `evaluate` words it. */
const fieldForms: readonly (readonly [form: RegExp, field: ConditionField])[] = [
  [/^risk_score /, "risk_threshold"],
  [/^object_type \[/, "object_types"],
  [/^camera_id /, "camera_ids"],
  [/^(feet at [\d., ]+: not in |no zone |no detection in )/, "zones"],
  [/^(feet at [\d., ]+: in |no detection outside )/, "not_zones"],
  [/^(size |no detection with a size )/, "min_size"],
  [/^(confidence |no detection,)/, "min_confidence"],
  [new RegExp(outOfSchedule), "schedule"],
  [new RegExp(`^${outOfMode}`), "modes"],
];

/** Returns the field of a rule whose condition failed; undefined for the kind of event, which is no near miss. */
export function fieldOfCondition(failed: string): ConditionField | undefined {
  return fieldForms.find(([form]) => form.test(failed))?.[1];
}

/** `person, car, dog` as `person, car or dog`. */
function alternatives(names: string): string {
  const last = names.lastIndexOf(", ");
  return last < 0 ? names : `${names.slice(0, last)} or ${names.slice(last + 2)}`;
}

function percent(value: string): string {
  return `${Number((Number(value) * 100).toFixed(4))} %`;
}
