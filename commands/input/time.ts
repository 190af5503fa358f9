import { localDay } from "../../src/base/clock/calendar.ts";
import { dayMs, hourMs, minuteMs } from "../../src/base/clock/clock.ts";

const units = { s: 1000, m: minuteMs, h: hourMs, d: dayMs } as const;

/** Milliseconds of `90s`, `5m`, `2h` or `30d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})([smhd])$/.exec(text.trim().toLowerCase());
  return match ? Number(match[1]) * units[match[2] as keyof typeof units] : undefined;
}

/** Seconds of a duration with optional unit, such as `300` or `5m`; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const ms = parseDuration(text);
  return ms === undefined ? undefined : ms / 1000;
}

/**
 * Parses a time: ISO 8601 (local without a zone), a date (its start, local), `HH:MM` (today), `now`, `-2h`, `today`, `yesterday`,
 * `tomorrow`, `yesterday 21:00`. Undefined for anything else.
 */
export function parseTime(text: string, now: Date): Date | undefined {
  const given = text.trim().toLowerCase();
  if (given === "now") return now;
  if (given.startsWith("-")) {
    const back = parseDuration(given.slice(1));
    return back === undefined ? undefined : validOrUndefined(new Date(now.getTime() - back));
  }
  const named = /^(?:(today|yesterday|tomorrow)(?:\s+|$))?(?:(\d{1,2}):(\d\d)(?::(\d\d))?)?$/.exec(given);
  if (named && given !== "") {
    const [, day, hour = "0", minute = "0", second = "0"] = named;
    const date = now.getDate() + ({ yesterday: -1, tomorrow: 1 }[day ?? ""] ?? 0);
    return local(now.getFullYear(), now.getMonth(), date, Number(hour), Number(minute), Number(second));
  }
  const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(z|[+-]\d\d:?\d\d)?)?$/.exec(given);
  if (!iso) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", zone] = iso;
  const wall = local(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  if (wall === undefined || wall.getDate() !== Number(day) || zone === undefined) return wall?.getDate() === Number(day) ? wall : undefined;
  const exact = new Date(text.trim().replace(" ", "T").toUpperCase());
  return Number.isNaN(exact.getTime()) ? undefined : exact;
}

/** Parses the start of a past period: a time, or how long ago, such as `24h`. Undefined for anything else. */
export function parseStart(text: string, now: Date): Date | undefined {
  return parseTime(parseDuration(text) === undefined ? text : `-${text.trim()}`, now);
}

/** Parses the inclusive end of a past period, as `parseStart` does; a whole day ends with its last millisecond, local. */
export function parseEnd(text: string, now: Date): Date | undefined {
  return endOfDay(text, now) ?? parseStart(text, now);
}

/** Parses the end of something that starts now: a time, or how long from now, such as `2h`; a whole day ends with its last millisecond, local. */
export function parseFutureEnd(text: string, now: Date): Date | undefined {
  const ahead = parseDuration(text);
  return ahead === undefined ? (endOfDay(text, now) ?? parseTime(text, now)) : validOrUndefined(new Date(now.getTime() + ahead));
}

/** The last millisecond of a date, `today`, `yesterday` or `tomorrow`, local. Undefined for anything else. */
function endOfDay(text: string, now: Date): Date | undefined {
  const start = isWholeDay(text) ? parseTime(text, now) : undefined;
  if (start === undefined) return undefined;
  const next = new Date(start);
  // Not 24 hours later: the day of a clock change has 23 or 25
  next.setDate(next.getDate() + 1);
  next.setHours(0, 0, 0, 0);
  return validOrUndefined(new Date(next.getTime() - 1));
}

function isWholeDay(text: string): boolean {
  return /^(?:\d{4}-\d\d-\d\d|today|yesterday|tomorrow)$/.test(text.trim().toLowerCase());
}

/**
 * Parses a day as `YYYY-MM-DD`. A date, `today`, `yesterday` and `tomorrow` are local days; any other time, or how long ago (`30d`), gives
 * its day in UTC. Undefined for anything else.
 */
export function parseDay(text: string, now: Date): string | undefined {
  const given = text.trim().toLowerCase();
  const time = parseStart(given, now);
  if (time === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(given)) return given;
  return isWholeDay(given) ? localDay(time) : time.toISOString().slice(0, 10);
}

function local(year: number, month: number, day: number, hour: number, minute: number, second: number): Date | undefined {
  if (month > 11 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(year, month, day, hour, minute, second);
  // Date maps the years 0 to 99 to 1900 to 1999
  if (year < 100) date.setFullYear(year, date.getMonth(), date.getDate());
  return validOrUndefined(date);
}

/** Undefined for dates out of range. */
function validOrUndefined(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}
