/** The median. Throws if there is none. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value below the given percentage of values, interpolated between neighbours. Throws if there is none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  if (below === undefined || above === undefined) throw new Error("there is nothing to take a percentile of");
  return below + (above - below) * (at - Math.floor(at));
}

/** Median, minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Summarises the values of the rounds. Throws if there are none. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}
