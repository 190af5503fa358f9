/** The only source of time. Other code never reads the system clock. */
export interface Clock {
  /** Returns wall-clock time, for values that are stored and shown. */
  now(): Date;
  /** Returns milliseconds that never go back, for measuring durations. */
  monotonic(): number;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};

/** Durations in milliseconds. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Maximum time that another machine's clock may be ahead. */
const aheadMs = 60_000;

/** Returns the latest time that a past event can have; a later one comes from a clock that has been set back since. */
export function latestPast(now: Date): Date {
  return new Date(now.getTime() + aheadMs);
}
