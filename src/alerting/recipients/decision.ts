import { dayMs, minuteMs } from "../../base/clock/clock.ts";
import { severities } from "../../contract/constants.ts";
import { isWithin } from "../rules/schedule.ts";
import type { Recipient } from "./recipient.ts";

/** The facts of an alert that a decision depends on. */
export interface Told {
  readonly severity: (typeof severities)[number];
  readonly ruleId: string | null;
}

/** What happens to a message for a recipient: it is sent, it waits for the hours to begin, or the recipient does not want it. */
export type Decision =
  | { readonly kind: "notified" }
  | { readonly kind: "held_back"; readonly until: Date }
  | { readonly kind: "left_out"; readonly reason: string };

type Wishes = Pick<Recipient, "hours" | "severity" | "rule_ids" | "critical_anytime" | "enabled">;

/** Decides whether a recipient gets an alert now. */
export function decide(recipient: Wishes, alert: Told, now: Date): Decision {
  const reason = unwanted(recipient, alert);
  if (reason !== undefined) return { kind: "left_out", reason };
  const until = quietUntil(recipient, alert.severity, now);
  return until ? { kind: "held_back", until } : { kind: "notified" };
}

function unwanted({ severity, rule_ids, enabled }: Wishes, alert: Told): string | undefined {
  if (!enabled) return "the recipient is disabled";
  if (severities.indexOf(alert.severity) < severities.indexOf(severity)) return `severity ${alert.severity} is below ${severity}`;
  if (rule_ids !== null && (alert.ruleId === null || !rule_ids.includes(alert.ruleId))) return "the recipient hears only from other rules";
  return undefined;
}

/** Returns when the hours of a recipient begin; undefined if a message of this severity may be sent now. */
export function quietUntil(
  { hours, critical_anytime }: Pick<Wishes, "hours" | "critical_anytime">,
  severity: Told["severity"] | undefined,
  now: Date,
): Date | undefined {
  if (hours === null || hours.some((schedule) => isWithin(schedule, now))) return undefined;
  return severity === "critical" && critical_anytime ? undefined : nextStart(hours, now);
}

/** Every window recurs within a week; a change of the clock may skip one. */
const longestWaitMs = 15 * dayMs;

/** Returns the first full minute after `now` within one of the schedules. */
function nextStart(hours: NonNullable<Wishes["hours"]>, now: Date): Date {
  const first = (Math.floor(now.getTime() / minuteMs) + 1) * minuteMs;
  for (let at = first; at < first + longestWaitMs; at += minuteMs) {
    const instant = new Date(at);
    if (hours.some((schedule) => isWithin(schedule, instant))) return instant;
  }
  return new Date(first + longestWaitMs);
}

/** Returns when a critical alert repeats next after this number of repeats; undefined for never. */
export function nextRepeat(
  { repeat_minutes, repeat_times }: Pick<Recipient, "repeat_minutes" | "repeat_times">,
  severity: Told["severity"],
  repeats: number,
  now: Date,
): Date | undefined {
  if (severity !== "critical" || repeats >= repeat_times) return undefined;
  return new Date(now.getTime() + repeat_minutes * minuteMs);
}

/** Returns when the next recipient is notified if no one has acknowledged an alert; undefined without one. */
export function escalationAt(
  { escalate_to, escalate_minutes }: Pick<Recipient, "escalate_to" | "escalate_minutes">,
  now: Date,
): Date | undefined {
  return escalate_to === null ? undefined : new Date(now.getTime() + escalate_minutes * minuteMs);
}
