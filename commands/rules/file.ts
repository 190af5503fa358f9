import { z } from "zod";
import { deadValues } from "../../src/alerting/rules/dead-values.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { Problem } from "../../src/contract/problem.ts";
import { Rule, ruleRoutes } from "../../src/contract/routes/rules.ts";
import { parseSeconds } from "../input/time.ts";
import { parseSchedule, scheduleForm } from "./schedule-text.ts";

export type NewRule = z.output<typeof ruleRoutes.createRule.body>;

/** Fields of a stored rule that are not part of its definition. */
const readOnly = ["id", "version", "created_at", "updated_at"] as const;

/**
 * The rules of a file: one rule, a list, or the reply of `rules list`. Accepts short forms: `schedule` as text, `cooldown: 5m`
 * or seconds, `cameras`. Throws `Problem("invalid")` naming each wrong value of each rule.
 */
export function rulesOf(value: unknown, place: string): NewRule[] {
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value["items"]) ? value["items"] : [value];
  if (list.length === 0) throw new Problem("invalid", `${place} contains no rule`);
  const faults: string[] = [];
  const rules = list.flatMap((entry: unknown, at) => {
    try {
      return [ruleOf(entry)];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push(list.length === 1 ? error.message : `rule ${at + 1}: ${error.message}`);
      return [];
    }
  });
  if (faults.length > 0) throw new Problem("invalid", `${place}: ${faults.join("; ")}`);
  return rules;
}

/** One rule. Throws `Problem("invalid")` naming each wrong value. */
function ruleOf(entry: unknown): NewRule {
  if (!isRecord(entry)) throw new Problem("invalid", "a rule must have fields, such as `name: Person at night`");
  const { cooldown, cameras, schedule, ...fields } = entry;
  for (const name of readOnly) delete fields[name];
  const given = {
    ...fields,
    ...(schedule !== undefined && { schedule: typeof schedule === "string" ? scheduleOf(schedule) : schedule }),
    ...(cooldown !== undefined && { cooldown_seconds: secondsOf(cooldown) }),
    ...(cameras !== undefined && { camera_ids: cameras }),
  };
  const decoded = z.safeDecode(ruleRoutes.createRule.body, given as never);
  if (decoded.success) {
    const dead = deadValues(decoded.data, { hasPhones: true });
    if (dead.length > 0) throw new Problem("invalid", dead.join("; "));
    return decoded.data;
  }
  const known = Object.keys(Rule.shape).join(", ");
  const sentences = decoded.error.issues.map(({ path, message, code }) =>
    code === "unrecognized_keys" ? `${message} (known fields are ${known})` : `${path.join(".")}: ${message}`,
  );
  throw new Problem("invalid", sentences.join("; "));
}

function scheduleOf(text: string) {
  const schedule = parseSchedule(text, localTimeZone());
  if (schedule === undefined) throw new Problem("invalid", `schedule ${JSON.stringify(text)} must be ${scheduleForm}`);
  return schedule;
}

function secondsOf(value: unknown): number {
  const seconds = typeof value === "string" || typeof value === "number" ? parseSeconds(String(value)) : undefined;
  if (seconds === undefined)
    throw new Problem("invalid", `cooldown ${JSON.stringify(value)} must be a duration such as 5m, or whole seconds`);
  return seconds;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
