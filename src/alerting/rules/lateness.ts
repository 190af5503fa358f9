import { minuteMs } from "../../base/clock/clock.ts";
import { durationText } from "../../base/text/format.ts";
import type { RuleFacts } from "./rule.ts";

/** Normally an event is stored and scored within a minute or two of its end. */
const lateAfterMs = 10 * minuteMs;

/**
 * Returns how many seconds after the end of its event an alert comes at a given time; null if that is not late. An incident lasts until
 * it is over, so an alert about it is never late.
 */
export function secondsLate({ kind, endedAt }: Pick<RuleFacts, "kind" | "endedAt">, at: Date): number | null {
  const delayMs = at.getTime() - endedAt.getTime();
  return kind === "event" && delayMs > lateAfterMs ? Math.round(delayMs / 1000) : null;
}

/** Returns the sentence that tells a recipient that the event is long over. */
export function lateText(seconds: number): string {
  return `This alert is late: homesec raised it ${durationText(seconds * 1000)} after the event ended.`;
}
