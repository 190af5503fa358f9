const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

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
  const offset = offsetsOf(timeZone);
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
