import type { Clock } from "../../src/clock/clock.ts";

/** A clock that stands still until it is moved. */
export interface VirtualClock extends Clock {
  advance(ms: number): void;
}

export function virtualClock(start = new Date("2026-01-31T22:00:00Z")): VirtualClock {
  let elapsed = 0;
  return {
    now: () => new Date(start.getTime() + elapsed),
    monotonic: () => elapsed,
    advance: (ms) => {
      elapsed += ms;
    },
  };
}
