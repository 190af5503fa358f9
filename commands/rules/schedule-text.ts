import type { z } from "zod";
import { weekdays } from "../../src/base/clock/calendar.ts";
import type { Schedule } from "../../src/contract/routes/rules.ts";

type ScheduleValue = z.output<typeof Schedule>;

/** Describes the syntax of a schedule; completes "must be ...". */
export const scheduleForm = "a schedule of days, times and time zone, each optional, such as 'mon-fri 22:00-06:00 Europe/Berlin'";

/**
 * Parses a schedule: days (`mon-fri`, `sat,sun`), times (`22:00-06:00`) and a time zone, in this order, each optional.
 * `zone` is the default time zone. Returns undefined for anything else. Checks the zone only if it stands alone; the API checks it otherwise.
 */
export function parseSchedule(text: string, zone: string): ScheduleValue | undefined {
  const words = text.trim().split(/\s+/);
  const days = isDays(words[0] ?? "") ? daysOf(words.shift() ?? "") : [];
  const times = /^(\d{1,2}:\d\d)-(\d{1,2}:\d\d)$/.exec(words[0] ?? "");
  if (times) words.shift();
  const timezone = words.shift() ?? zone;
  if (days === undefined || words.length > 0 || text.trim() === "" || !/^[A-Za-z][\w+/-]*$/.test(timezone)) return undefined;
  // A single word that is not a zone is a mistake
  if (text.trim() === timezone && !isZone(timezone)) return undefined;
  const [start = null, end = null] = (times ?? []).slice(1).map((time) => time.padStart(5, "0"));
  return { days, start_time: start, end_time: end, timezone };
}

/** Whether a word begins with a day. Zones such as `Monrovia` never stand alone. */
function isDays(word: string): boolean {
  return /^(daily|(mon|tue|wed|thu|fri|sat|sun)[a-z]*([,-][a-z]+)*)$/i.test(word);
}

function isZone(word: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: word }) !== undefined;
  } catch {
    return false;
  }
}

/** The days from Monday to Sunday, without duplicates; an empty list means every day. */
function daysOf(word: string): ScheduleValue["days"] | undefined {
  if (word.toLowerCase() === "daily") return [];
  const chosen = new Set<number>();
  for (const part of word.split(",")) {
    const [first, last = first, more] = part.split("-").map(dayNumber);
    if (first === undefined || last === undefined || more !== undefined) return undefined;
    for (let day = first; ; day = (day + 1) % 7) {
      chosen.add(day);
      if (day === last) break;
    }
  }
  return weekdays.filter((_, day) => chosen.has(day));
}

function dayNumber(word: string): number | undefined {
  const found = word.length < 3 ? -1 : weekdays.findIndex((day) => day.startsWith(word.toLowerCase()));
  return found < 0 ? undefined : found;
}
