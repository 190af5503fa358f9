import { dayMs, hourMs } from "./durations.ts";

/**
 * The clock on the wall of a time zone. Instants are milliseconds since 1970 in UTC; days are numbered from 1970-01-01 and
 * begin when the clock first shows their date, wherever a change of the clocks puts that.
 */
export interface WallClock {
  /** The number of the day whose date is shown. */
  dayAt(instant: number): number;
  /** When a day begins. One that the zone left out begins together with the next. */
  startOfDay(day: number): number;
  /** The next time that a full hour is shown; an hour that is shown twice comes twice, one that is left out does not come. */
  nextHour(instant: number): number;
}

/** The clock of a zone, by its name. Throws `RangeError` for a zone that does not exist. */
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
      // midnight itself was left out: the day begins with the change of the clocks
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

/** The time zone of this machine, by its name. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Offsets that are kept for each zone: more than a year of hours, 100 zones at most. */
const mostHours = 10_000;
const mostZones = 100;
const knownZones = new Map<string, (instant: number) => number>();

/**
 * How many milliseconds the clocks of a zone are ahead of UTC, as a function of the instant (milliseconds since 1970). Made
 * to be asked a million times. Throws `RangeError` for a zone that does not exist.
 */
export function offsetIn(timeZone: string): (instant: number) => number {
  const known = knownZones.get(timeZone);
  if (known) return known;
  const offset = byHour(offsetsOf(timeZone));
  if (knownZones.size >= mostZones) knownZones.clear();
  knownZones.set(timeZone, offset);
  return offset;
}

/** Asks once for each hour. In an hour at whose end the clocks show something else than at its begin, each instant is asked for. */
function byHour(offset: (instant: number) => number): (instant: number) => number {
  const hours = new Map<number, number>();
  const atHour = (hour: number): number => {
    const known = hours.get(hour);
    if (known !== undefined) return known;
    if (hours.size >= mostHours) hours.clear();
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

/** How many milliseconds the clocks of a zone are ahead of UTC at an instant. */
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
