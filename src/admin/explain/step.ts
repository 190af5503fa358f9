import type { z } from "zod";
import { dayMs, hourMs, minuteMs } from "../../base/clock/clock.ts";
import type { Explanation as ExplanationRecord, Step as StepRecord } from "../../contract/routes/explain.ts";

export type Explanation = z.output<typeof ExplanationRecord>;
export type Step = z.output<typeof StepRecord>;

/** A time within a sentence, in UTC. */
export function instant(time: Date): string {
  return time.toISOString();
}

/** A duration: `850 ms`, `12 s`, `5 min`, `3 h`, `4 d`. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return `${Math.round(size)} ms`;
  if (size < 120_000) return `${Math.round(size / 100) / 10} s`;
  if (size < 2 * hourMs) return `${Math.round(size / minuteMs)} min`;
  if (size < 2 * dayMs) return `${Math.round(size / hourMs)} h`;
  return `${Math.round(size / dayMs)} d`;
}

/** The duration between two times. */
export function between(from: Date, to: Date): string {
  return duration(to.getTime() - from.getTime());
}

/** Makes a text start with a capital and end with a full stop. */
export function sentence(text: string): string {
  const whole = text.trim();
  return `${whole.slice(0, 1).toUpperCase()}${whole.slice(1)}${/[.!?]$/.test(whole) ? "" : "."}`;
}
