/** The statistics of an hour of the week: mean and variance of its counts, and the number of hours. */
export interface Learned {
  readonly mean: number;
  readonly variance: number;
  readonly samples: number;
}

/** The same with its place in the week. */
export interface HourBaseline extends Learned {
  /** 0 is Monday. */
  readonly dayOfWeek: number;
  /** 0 to 23, in the time zone of the machine. */
  readonly hour: number;
}

/** The reference for an hour. */
export interface Usual {
  /** Detections in the whole hour. */
  readonly mean: number;
  /** Variance of a whole hour's count, as far as it grows with the past part of the hour. */
  readonly variance: number;
  /** Consecutive detections from one cause: 1 if they are independent. */
  readonly burst: number;
  /** Number of hours it is based on. */
  readonly samples: number;
}

/** The limits of a camera that matter here. */
export interface Limits {
  readonly decayFactor: number;
  readonly minSamples: number;
}

/** A count is learned as at most this many deviations away: one extreme hour must not spoil the following months. */
const clipAt = 3;

/**
 * Adds the count of one more hour: exponentially weighted mean and variance, d = x - m; m' = m + a d; v' = (1 - a) (v + a d^2) (T. Finch,
 * Incremental calculation of weighted mean and variance, 2009), with a = max(decay, 1/n): the first 1/decay hours weigh the same
 * (Welford's method), so that the very first one does not dominate.
 */
export function learn(before: Learned, count: number, decayFactor: number): Learned {
  const samples = before.samples + 1;
  const weight = Math.max(decayFactor, 1 / samples);
  const difference = count - before.mean;
  return {
    mean: Math.max(0, before.mean + weight * difference),
    variance: (1 - weight) * (before.variance + weight * difference ** 2),
    samples,
  };
}

/** Returns the count to learn, once there is enough data: at most 3 deviations from the mean (R. Gelper, R. Fried, C. Croux, 2010). */
export function clipped(count: number, usual: Usual | undefined): number {
  if (!usual) return count;
  const reach = clipAt * deviationOf(usual, 1);
  return Math.min(usual.mean + reach, Math.max(usual.mean - reach, count));
}

/**
 * Returns the reference for an hour of the week; undefined without enough data. `hours` are all learned hours of one camera, or of one
 * class at it.
 *
 * Each hour of the week occurs once a week. Until it has `minSamples` samples, the reference is therefore a mixture: with n samples, this
 * hour has the weight w = n / minSamples, and the same hour of all seven days has the rest. With mean m and variance v of this hour, and
 * M and V of the seven days (including the spread between them), the law of total variance gives:
 *
 *   mean = w m + (1 - w) M;  variance = w v + (1 - w) V + w (1 - w) (m - M)^2
 *
 * Statistics of few samples predict badly, so the variance is multiplied by (k + 1) / (k - 1) for k samples (the unbiased variance plus
 * the variance of the mean). The decay a limits k to (2 - a) / a.
 *
 * Counts vary at least as much as their causes: a visit makes a burst of detections. With bursts of b, the variance of a count is at
 * least b times its mean (compound Poisson; b = variance / mean is the quasi-Poisson dispersion of McCullagh and Nelder, Generalized
 * Linear Models, 1989, section 6.2), and a single burst is never more than one deviation away: see `scoreOf`.
 */
export function usualOf(
  hours: readonly HourBaseline[],
  at: { readonly dayOfWeek: number; readonly hour: number },
  { decayFactor, minSamples }: Limits,
): Usual | undefined {
  const memory = (2 - decayFactor) / decayFactor;
  const sameHour = hours.filter((each) => each.hour === at.hour);
  const own = sameHour.find((each) => each.dayOfWeek === at.dayOfWeek) ?? { mean: 0, variance: 0, samples: 0 };
  const all = pooled(sameHour);
  if (all.samples < Math.max(1, minSamples)) return undefined;
  const weight = Math.min(1, own.samples / minSamples);
  const mean = weight * own.mean + (1 - weight) * all.mean;
  const spread = weight * own.variance + (1 - weight) * all.variance + weight * (1 - weight) * (own.mean - all.mean) ** 2;
  const samples = Math.max(2, weight * Math.min(own.samples, memory) + (1 - weight) * Math.min(all.samples, memory));
  const burst = weight * dispersion(hours, memory) + (weight < 1 ? (1 - weight) * dispersion(byHour(hours), memory) : 0);
  return {
    mean,
    variance: Math.max((spread * (samples + 1)) / (samples - 1), burst * mean),
    burst,
    samples: weight === 1 ? own.samples : all.samples,
  };
}

/**
 * Returns the deviation of a count from its reference, negative if it is lower: z = (x - p m) / sqrt(max(p v, b^2)) for the part p of the
 * hour, 1 for all of it.
 */
export function scoreOf(usual: Usual, count: number, part = 1): number {
  return (count - usual.mean * part) / deviationOf(usual, part);
}

function deviationOf(usual: Usual, part: number): number {
  return Math.sqrt(Math.max(usual.variance * part, usual.burst ** 2));
}

/** Pools several hours: the spread between their means adds to the variance. */
export function pooled(hours: readonly Learned[]): Learned {
  const samples = hours.reduce((sum, hour) => sum + hour.samples, 0);
  if (samples === 0) return { mean: 0, variance: 0, samples };
  const mean = hours.reduce((sum, hour) => sum + hour.mean * hour.samples, 0) / samples;
  const variance = hours.reduce((sum, hour) => sum + (hour.variance + (hour.mean - mean) ** 2) * hour.samples, 0) / samples;
  return { mean, variance, samples };
}

/** Ratio of variance to mean over all hours together; at least 1, as for independent detections. */
function dispersion(hours: readonly Learned[], memory: number): number {
  let variances = 0;
  let means = 0;
  for (const { mean, variance, samples } of hours) {
    const known = Math.min(samples, memory);
    variances += variance * known;
    means += mean * (known - 1);
  }
  return means > 0 ? Math.max(1, variances / means) : 1;
}

/** The hours of a day, each over all days. */
function byHour(hours: readonly HourBaseline[]): readonly Learned[] {
  const groups = Array.from({ length: 24 }, (): HourBaseline[] => []);
  for (const each of hours) groups[each.hour]?.push(each);
  return groups.map(pooled);
}

/** Rounds to three decimals, as records show numbers. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
