import { dayMs, hourMs } from "./clock.ts";

/**
 * Wall-clock time in a time zone. Instants are milliseconds since 1970 in UTC. Days are numbered from 1970-01-01; a day begins when the
 * clock first shows its date, even if a clock change moves that.
 */
export interface WallClock {
  /** Returns the number of the day at an instant. */
  dayAt(instant: number): number;
  /** Returns the first instant of a day. A day that the zone skipped begins together with the next one. */
  startOfDay(day: number): number;
  /** Returns the instant when the clock next shows a full hour. A repeated hour is returned twice, a skipped one never. */
  nextHour(instant: number): number;
}

/** Returns the wall clock of a zone. Throws `RangeError` for an unknown zone. */
export function wallClock(timeZone: string): WallClock {
  const offset = offsetIn(timeZone);
  const shown = (instant: number) => instant + offset(instant);
  return {
    dayAt: (instant) => Math.floor(shown(instant) / dayMs),
    startOfDay: (day) => {
      const midnight = day * dayMs;
      for (const guess of [midnight - offset(midnight - dayMs), midnight - offset(midnight + dayMs)]) {
        if (shown(guess) === midnight) return guess;
      }
      // The clock change skipped midnight: the day begins with the change
      let before = midnight - dayMs - 2 * hourMs;
      let after = midnight + dayMs + 2 * hourMs;
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        if (shown(middle) < midnight) before = middle;
        else after = middle;
      }
      return after;
    },
    nextHour: (instant) => {
      let next = instant + hourMs;
      for (;;) {
        const past = ((shown(next) % hourMs) + hourMs) % hourMs;
        if (past === 0) return next;
        next += hourMs - past;
      }
    },
  };
}

/**
 * Returns the instant at which the clock of a zone shows a time, both in milliseconds since 1970 (`shown` as if it were UTC). If the clock
 * shows it twice, or skips it, that is the instant closest to `near`. Throws `RangeError` for an unknown zone.
 */
export function instantAt(timeZone: string, shown: number, near: number): number {
  const offset = offsetIn(timeZone);
  const guesses = [shown - offset(shown - dayMs), shown - offset(shown + dayMs)];
  const exact = guesses.filter((guess) => guess + offset(guess) === shown);
  return (exact.length > 0 ? exact : guesses).reduce((best, guess) => (Math.abs(guess - near) < Math.abs(best - near) ? guess : best));
}

/** Returns the name of this machine's time zone. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Maximum number of cached offsets per zone, more than a year of hours; at most 100 zones are cached. */
const maxHours = 10_000;
const maxZones = 100;
const knownZones = new Map<string, (instant: number) => number>();

/**
 * Returns a function from an instant (milliseconds since 1970) to the zone's offset from UTC in milliseconds, fast enough for a million
 * calls. Throws `RangeError` for an unknown zone.
 */
export function offsetIn(timeZone: string): (instant: number) => number {
  const known = knownZones.get(timeZone);
  if (known) return known;
  const offset = byHour(offsetsOf(timeZone));
  if (knownZones.size >= maxZones) knownZones.clear();
  knownZones.set(timeZone, offset);
  return offset;
}

/** Computes the offset once per hour. In an hour during which the offset changes, it computes each instant. */
function byHour(offset: (instant: number) => number): (instant: number) => number {
  const hours = new Map<number, number>();
  const atHour = (hour: number): number => {
    const known = hours.get(hour);
    if (known !== undefined) return known;
    if (hours.size >= maxHours) hours.clear();
    const asked = offset(hour * hourMs);
    hours.set(hour, asked);
    return asked;
  };
  return (instant) => {
    const hour = Math.floor(instant / hourMs);
    const before = atHour(hour);
    return before === atHour(hour + 1) ? before : offset(instant);
  };
}

/** Returns the uncached offset function of a zone, in milliseconds. */
function offsetsOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  if (format.resolvedOptions().timeZone === "UTC") return () => 0;
  return (instant) => {
    const name = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes, seconds] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0);
    return (sign === "-" ? -size : size) * 1000;
  };
}
