import type { conditionFields } from "../../contract/constants.ts";
import { outOfMode, outOfSchedule } from "./conditions.ts";

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
