import { dayMs, hourMs, minuteMs } from "../../base/clock/durations.ts";
import { offsetIn, wallClock } from "../../base/clock/time-zone.ts";

/** An hour as the clock on the wall shows it. */
export interface LocalHour {
  readonly start: Date;
  /** The next time that a full hour is shown: an hour later, unless clocks change by something else than full hours. */
  readonly end: Date;
  /** 0 is Monday. */
  readonly dayOfWeek: number;
  /** 0 to 23. */
  readonly hour: number;
}

/**
 * The hour of a time zone in which a time lies. In the night in which clocks are set back an hour is shown twice: these are
 * two hours with the same name. The hour that is left out in spring does not come.
 */
export function localHourAt(at: Date, timeZone: string): LocalHour {
  const offset = offsetIn(timeZone);
  const instant = at.getTime();
  const shown = instant + offset(instant);
  const start = shownFrom(instant, instant - modulo(shown, hourMs), offset);
  return {
    start: new Date(start),
    end: new Date(wallClock(timeZone).nextHour(start)),
    // 1970-01-01 was a Thursday
    dayOfWeek: modulo(Math.floor(shown / dayMs) + 3, 7),
    hour: Math.floor(modulo(shown, dayMs) / hourMs),
  };
}

/** Which minute of its hour a time is: 0 to 59. */
export function minuteOf(at: Date, hour: LocalHour): number {
  return Math.min(59, Math.max(0, Math.floor((at.getTime() - hour.start.getTime()) / minuteMs)));
}

/** Clocks that are set by half an hour begin an hour in its middle. */
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
