import { minuteMs } from "../../base/clock/durations.ts";

/** No camera is called silent earlier than this, however regular it is: uploads are repeated, networks pause. */
export const leastSilenceMs = 180_000;
/** Gaps that a rhythm is learned from, the newest ones. */
export const learnedGaps = 200;

const fewestGaps = 40;
const shortestSpanMs = 30 * minuteMs;

/** How regularly a camera uploads. */
export interface Rhythm {
  /** Median time between two pictures. */
  readonly usualGapMs: number;
  /** Without a picture for longer than this it is silent. */
  readonly limitMs: number;
}

/**
 * Learns from the times between pictures how long a camera may be quiet. Undefined for one without rhythm, such as a camera that
 * uploads on motion: less than 40 gaps or half an hour is known, or more than one gap in fifty is over three times the median.
 *
 * The limit is the largest of five medians, the median and ten standard deviations as the median absolute deviation estimates
 * them (a factor of 1.4826 for a normal distribution), twice the 98th percentile, and three minutes. Medians and percentiles, so
 * that an outage or a burst in what is learned from changes little.
 */
export function rhythmOf(gapsMs: readonly number[]): Rhythm | undefined {
  const span = gapsMs.reduce((sum, gap) => sum + gap, 0);
  if (gapsMs.length < fewestGaps || span < shortestSpanMs) return undefined;
  const usualGapMs = quantile(gapsMs, 0.5);
  const long = quantile(gapsMs, 0.98);
  if (long > 3 * usualGapMs + 2_000) return undefined;
  const deviation =
    1.4826 *
    quantile(
      gapsMs.map((gap) => Math.abs(gap - usualGapMs)),
      0.5,
    );
  return { usualGapMs, limitMs: Math.max(5 * usualGapMs, usualGapMs + 10 * deviation, 2 * long, leastSilenceMs) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
