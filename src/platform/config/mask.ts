import { redact } from "../../base/log/redact.ts";
import type { Variable } from "./variable.ts";

/** A value as it may be shown: secrets and passwords in addresses are masked; null when it is not set. */
export function maskedValue(spec: Variable, value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map((entry) => maskedValue(spec, entry));
  if (spec.secret) return "***";
  return typeof value === "string" ? redact(value) : value;
}
