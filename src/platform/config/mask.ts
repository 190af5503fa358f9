import { redact } from "../../base/log/redact.ts";
import type { Variable } from "./variable.ts";

/** Returns a value in the form that users may see: secrets and passwords in URLs are masked; null if it is not set. */
export function maskedValue(spec: Variable, value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map((entry) => maskedValue(spec, entry));
  if (spec.secret) return "***";
  return typeof value === "string" ? redact(value) : value;
}
