/** The one source of time. Rules never read the system clock themselves. */
export interface Clock {
  /** Wall-clock time, for what is stored and shown. */
  now(): Date;
  /** Milliseconds that only ever go forward, for measuring durations. */
  monotonic(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
