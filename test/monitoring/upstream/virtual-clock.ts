import type { Clock } from "../../../src/base/clock/clock.ts";

const startMs = Date.parse("2026-01-31T22:00:00Z");

/** A clock that only moves when the test moves it. */
export interface VirtualClock extends Clock {
  advance(ms: number): void;
}

export function virtualClock(): VirtualClock {
  let elapsed = 0;
  return {
    now: () => new Date(startMs + elapsed),
    monotonic: () => elapsed,
    advance: (ms) => {
      elapsed += ms;
    },
  };
}
