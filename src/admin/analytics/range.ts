import { dayMs } from "../../base/clock/clock.ts";
import { Problem } from "../../contract/problem.ts";

/** A range of days, both included, as `YYYY-MM-DD` in UTC. */
export interface DayRange {
  readonly start: string;
  readonly end: string;
  /** Number of days. */
  readonly days: number;
}

const maxDays = 365;

/** Returns the requested range. Throws `Problem("bad_request")` if it runs backwards or has more than 365 days. */
export function dayRange({ start_date: start, end_date: end }: { readonly start_date: string; readonly end_date: string }): DayRange {
  const days = (Date.parse(end) - Date.parse(start)) / dayMs + 1;
  if (days < 1) throw new Problem("bad_request", `start_date ${start} lies after end_date ${end}; exchange them`);
  if (days > maxDays) {
    throw new Problem("bad_request", `${start} to ${end} are ${days} days; ask for at most ${maxDays}, both ends included`);
  }
  return { start, end, days };
}

/**
 * Returns the whole months in a range, from the first day `first` to the exclusive `end`. Without any, both are the day after the range.
 */
export function wholeMonths(range: DayRange): { readonly first: string; readonly end: string } {
  const after = new Date(range.end);
  after.setUTCDate(after.getUTCDate() + 1);
  const first = new Date(range.start);
  if (first.getUTCDate() > 1) first.setUTCMonth(first.getUTCMonth() + 1, 1);
  const end = new Date(after);
  end.setUTCDate(1);
  return first < end ? { first: dayText(first), end: dayText(end) } : { first: dayText(after), end: dayText(after) };
}

/** Formats a day for PostgreSQL; years after 9999 have five digits. */
function dayText(day: Date): string {
  return day.toISOString().split("T")[0]?.replace(/^\+0*/, "") ?? "";
}
