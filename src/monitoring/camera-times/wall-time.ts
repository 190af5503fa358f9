import { instantAt } from "../../base/clock/time-zone.ts";

/** A date and time as a camera writes them. */
export interface WallTime {
  /** What its clock shows, as milliseconds since 1970 if the clock showed UTC. */
  readonly shownMs: number;
  /** The clock's offset from UTC, if the camera states it; null: it is that of the camera's zone. */
  readonly offsetMinutes: number | null;
}

/** Parts of a date and time. */
export interface TimeParts {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Returns the time of a calendar date; undefined for a date that does not exist, and before 1970 or after 2099. */
export function shownAt({ year, month, day, hour, minute, second, millisecond }: TimeParts): number | undefined {
  if (year < 1970 || year > 2099 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

/**
 * Returns the instant of a camera's time. Without an offset it is read in `timeZone`; an hour that the zone's clock shows twice is the one
 * closer to `near`, such as the arrival of the picture.
 */
export function instantOf({ shownMs, offsetMinutes }: WallTime, timeZone: string, near: Date): Date {
  if (offsetMinutes !== null) return new Date(shownMs - offsetMinutes * 60_000);
  return new Date(instantAt(timeZone, shownMs, near.getTime()));
}
