import { dayMs, hourMs } from "../../src/base/clock/clock.ts";
import { localTime } from "../output/terminal-format.ts";
import { type Given, type Option, single, WrongValue } from "./options.ts";
import { parseDay, parseEnd, parseFutureEnd, parseStart } from "./time.ts";

/** A past time: a time, or how long ago. */
export function time(description: string): Option<Date | undefined> {
  return single("time", description, (given, now) => timeOf(parseStart(given, now), pastForms));
}

const pastForms = "a time such as 24h (ago), yesterday, 'yesterday 21:00', 22:15, 2026-01-31 or 2026-01-31T22:15";

/** A future time: a time, or how long from now. A whole day means its end. */
export function futureTime(description: string): Option<Date | undefined> {
  return single("time", description, (given, now) => {
    const parsed = timeOf(parseFutureEnd(given, now), "a time such as 22:15, 2h (from now), 'tomorrow 06:00' or 2026-01-31T22:15");
    if (parsed > now) return parsed;
    const [, today] = /^(?:today\s+)?(\d{1,2}:[\d:]+)$/i.exec(given.trim()) ?? [];
    throw new WrongValue(
      today === undefined
        ? `in the future (it is ${localTime(now)} now), such as 'tomorrow 06:00'`
        : `in the future; ${today} is over today, use 'tomorrow ${today}'`,
    );
  });
}

function timeOf(parsed: Date | undefined, forms: string): Date {
  if (parsed === undefined) throw new WrongValue(forms);
  return parsed;
}

/**
 * The period of a command, --since and --until, with the API's names --start-date and --end-date as second flags. Both ends are included,
 * and so is the whole of a day given as the end.
 */
export function period(since = "Only since this time, such as 24h or yesterday", until = "Only until this time; a date includes its day") {
  return {
    start_date: { ...time(since), flag: "since" } satisfies Option<Date | undefined>,
    end_date: { ...single("time", until, (given, now) => timeOf(parseEnd(given, now), pastForms)), flag: "until" } satisfies Option<
      Date | undefined
    >,
  };
}

/** The same period with a start if none is given, such as `24h`. */
export function periodSince(fallback: string) {
  const { start_date, end_date } = period("Start, such as 24h or yesterday", "End; a date includes its day (default now)");
  const read = (given: Given): Date => start_date.read({ ...given, texts: [fallback, ...given.texts] }) as Date;
  return { start_date: { ...start_date, fallback, read }, end_date };
}

/** The same period in whole days, as `YYYY-MM-DD`, in any form that `parseDay` accepts. */
export function periodOfDays(since: string, until: string) {
  return { start_date: { ...dayOption(since), flag: "since" }, end_date: { ...dayOption(until), flag: "until" } };
}

/** A day as `YYYY-MM-DD`, in any form that `parseDay` accepts. */
export function dayOption(description: string): Option<string | undefined> {
  return single("day", description, (given, now) => {
    const parsed = parseDay(given, now);
    if (parsed === undefined) throw new WrongValue("a day such as 2026-01-31, yesterday or 30d (ago)");
    return parsed;
  });
}

/**
 * How far to look back, as a whole number of `hours` or `days`, up: a time, how long ago, or the number. `fallback` is the default.
 */
export function lookBack(unit: "hours" | "days", minimum: number, maximum: number, fallback: number): Option<number> {
  const [letter, unitMs] = unit === "hours" ? ["h", hourMs] : ["d", dayMs];
  const past = single("time", `Start, such as ${fallback}${letter} or yesterday, at most ${maximum}${letter}`, (given, now) => {
    const start = /^\d{1,9}$/.test(given) ? new Date(now.getTime() - Number(given) * unitMs) : parseStart(given, now);
    const value = start === undefined ? Number.NaN : Math.ceil((now.getTime() - start.getTime()) / unitMs);
    if (!(value >= minimum && value <= maximum))
      throw new WrongValue(
        `a time from ${minimum}${letter} to ${maximum}${letter} ago, such as ${fallback}${letter}, yesterday or 2026-01-31`,
      );
    return value;
  });
  return { ...past, flag: "since", fallback: `${fallback}${letter}`, read: (given) => past.read(given) ?? fallback };
}
