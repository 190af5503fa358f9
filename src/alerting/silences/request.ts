import type { z } from "zod";
import { longestSilenceSeconds } from "../../contract/constants.ts";
import { Problem } from "../../contract/problem.ts";
import type { silenceRoutes } from "../../contract/routes/silences.ts";

type Body = z.output<typeof silenceRoutes.createSilence.body>;

/** Returns the scope of a requested silence. Throws `Problem("invalid")` if there is none, or two. */
export function scopeOf({ camera_id, rule_id, all }: Body): { readonly cameraId: string | null; readonly ruleId: string | null } {
  const scope = { cameraId: camera_id ?? null, ruleId: rule_id?.toLowerCase() ?? null };
  const isNamed = scope.cameraId !== null || scope.ruleId !== null;
  if (!isNamed && !all) throw refusal("camera_id", "Name a camera or a rule, or say all: true to silence every alert");
  if (isNamed && all) throw refusal("all", "A silence of all alerts names neither a camera nor a rule");
  return scope;
}

/** Returns the end of a requested silence. Throws `Problem("invalid")` for no end, two ends, an end in the past or one too far away. */
export function endOf({ duration_seconds: seconds, ends_at: end }: Body, now: Date): Date {
  if (seconds !== undefined && end !== undefined) throw refusal("ends_at", "Give either duration_seconds or ends_at, not both");
  if (seconds !== undefined) return new Date(now.getTime() + seconds * 1000);
  if (end === undefined) throw refusal("duration_seconds", "A silence always has an end: give duration_seconds or ends_at");
  if (end <= now) throw refusal("ends_at", `Must be in the future; it is ${now.toISOString()} now`);
  if (end.getTime() - now.getTime() > longestSilenceSeconds * 1000) {
    throw refusal("ends_at", `Must be at most ${longestSilenceSeconds / 86_400} days away; disable a rule to silence it for longer`);
  }
  return end;
}

function refusal(field: string, message: string): Problem {
  return new Problem("invalid", message, { items: [{ loc: ["body", field], msg: message, type: "value_error" }] });
}
