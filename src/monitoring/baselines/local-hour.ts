import { dayMs, hourMs, minuteMs } from "../../base/clock/clock.ts";
import { offsetIn, wallClock } from "../../base/clock/time-zone.ts";

/** An hour of the wall clock. */
export interface LocalHour {
  readonly start: Date;
  /** Start of the next full hour on the clock: an hour later, unless clocks change by less than a full hour. */
  readonly end: Date;
  /** 0 is Monday. */
  readonly dayOfWeek: number;
  /** 0 to 23. */
  readonly hour: number;
}

/**
 * Returns the hour of a time zone that contains a time. When clocks are set back, an hour is shown twice: these are two hours with the
 * same name. The hour skipped in spring does not exist.
 */
export function localHourAt(at: Date, timeZone: string): LocalHour {
  const offset = offsetIn(timeZone);
  const instant = at.getTime();
  const shown = instant + offset(instant);
  const start = shownFrom(instant, instant - modulo(shown, hourMs), offset);
  return {
    start: new Date(start),
    end: new Date(wallClock(timeZone).nextHour(start)),
    // 1970-01-01 was a Thursday.
    dayOfWeek: modulo(Math.floor(shown / dayMs) + 3, 7),
    hour: Math.floor(modulo(shown, dayMs) / hourMs),
  };
}

/** Returns the minute of a time in its hour: 0 to 59. */
export function minuteOf(at: Date, hour: LocalHour): number {
  return Math.min(59, Math.max(0, Math.floor((at.getTime() - hour.start.getTime()) / minuteMs)));
}

/** Clocks that are set by half an hour start an hour in its middle. */
function shownFrom(instant: number, start: number, offset: (instant: number) => number): number {
  if (offset(start) === offset(instant)) return start;
  let before = start;
  let after = instant;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === offset(instant)) after = middle;
    else before = middle;
  }
  return after;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
