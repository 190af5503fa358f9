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
