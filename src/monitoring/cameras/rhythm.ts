import { minuteMs } from "../../base/clock/clock.ts";

/** Minimum silence, however regular the camera: uploads are retried and networks pause. */
export const leastSilenceMs = 180_000;
/** Number of gaps that a rhythm is learned from, the newest ones. */
export const learnedGaps = 200;

const fewestGaps = 40;
const shortestSpanMs = 30 * minuteMs;

/** The upload rhythm of a camera. */
export interface Rhythm {
  /** Median time between two pictures. */
  readonly usualGapMs: number;
  /** A camera without a picture for longer than this is silent. */
  readonly limitMs: number;
}

/**
 * Learns from the times between pictures how long a camera may be silent. Undefined for a camera without a rhythm, such as one that
 * uploads on motion: fewer than 40 gaps or half an hour are known, or more than one gap in fifty exceeds three times the median. The
 * limit is the largest of five medians, the median plus ten standard deviations (estimated as 1.4826 times the median absolute deviation,
 * as for a normal distribution), twice the 98th percentile, and three minutes. Medians and percentiles keep an outage or a burst from
 * changing the result much.
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
