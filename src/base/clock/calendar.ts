import { dayMs } from "./clock.ts";

/** In order; the week begins with Monday. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** Returns the local date of a time, `YYYY-MM-DD`. */
export function localDay(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** A time range split at UTC midnights. */
export interface SplitRange {
  /**
   * The whole days in the range, from `first` up to but not including `end`, as texts that PostgreSQL reads as dates; none if they are
   * equal.
   */
  readonly first: string;
  readonly end: string;
  /** The parts of the range before and after the whole days, both ends included, to the millisecond. */
  readonly rest: readonly { readonly from: Date; readonly to: Date }[];
}

/** Splits a range; `to` is included, and an undefined end is open. A range that ends before it begins is empty. */
export function splitAtDays(from: Date | undefined, to: Date | undefined): SplitRange {
  const start = from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const until = to ? to.getTime() + 1 : Number.POSITIVE_INFINITY;
  const first = Math.ceil(start / dayMs) * dayMs;
  const end = Math.floor(until / dayMs) * dayMs;
  const piece = (at: number, next: number) => (at < next ? [{ from: new Date(at), to: new Date(next - 1) }] : []);
  if (first >= end) return { first: "infinity", end: "infinity", rest: piece(start, until) };
  return {
    first: dayText(first),
    end: dayText(end),
    rest: [...(from ? piece(start, first) : []), ...(to ? piece(end, until) : [])],
  };
}

/** Formats a midnight in milliseconds as a date for PostgreSQL. */
function dayText(at: number): string {
  if (at === Number.NEGATIVE_INFINITY) return "-infinity";
  // The end of the last valid day would have a year of five digits
  return at >= Date.UTC(10_000, 0) ? "infinity" : new Date(at).toISOString().slice(0, 10);
}
