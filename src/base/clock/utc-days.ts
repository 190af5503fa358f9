import { dayMs } from "./durations.ts";

/** A range of time taken apart at the midnights of UTC. */
export interface SplitRange {
  /** The whole days in it, from `first` up to but not including `end`, as texts that PostgreSQL reads as dates; none when they are equal. */
  readonly first: string;
  readonly end: string;
  /** What is left of it before and after them, both ends included, to the millisecond. */
  readonly rest: readonly { readonly from: Date; readonly to: Date }[];
}

/** Takes a range apart; `to` is included, and an end that is undefined is open. A range that runs backwards has nothing in it. */
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

/** A day as PostgreSQL reads it, from the milliseconds of its midnight. */
function dayText(at: number): string {
  if (at === Number.NEGATIVE_INFINITY) return "-infinity";
  // the end of the last day that can be asked for would have five digits
  return at >= Date.UTC(10_000, 0) ? "infinity" : new Date(at).toISOString().slice(0, 10);
}
