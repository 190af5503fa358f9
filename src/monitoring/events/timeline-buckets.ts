import { dayMs, hourMs } from "../../base/clock/clock.ts";
import { wallClock } from "../../base/clock/time-zone.ts";
import { type bucketSizes, mostBuckets } from "../../contract/constants.ts";
import { Problem } from "../../contract/problem.ts";
import { instantOf } from "../../contract/values.ts";

export type BucketSize = (typeof bucketSizes)[number];

/** A requested timeline. `start` and `end` are dates, meaning whole days in the time zone, or timestamps; both are included. */
export interface AskedTimeline {
  readonly start: string;
  readonly end: string;
  /** Undefined means the smallest size that keeps the number of buckets within the limit. */
  readonly size: BucketSize | undefined;
  readonly timeZone: string;
}

/** A timeline cut into buckets, in milliseconds since 1970. */
export interface Timeline {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
  /** Start of each bucket, ascending; the first is at or before `from`. Each lasts until the next begins. */
  readonly starts: readonly number[];
}

/** Limits of storable timestamps. */
const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Cuts a time range into hours, days or weeks (from Monday) of a zone's wall clock: a day with a clock change has 23 or 25 hours. Throws
 * `Problem("invalid")` if the range runs backwards or has too many buckets.
 */
export function cutTimeline({ start, end, size: asked, timeZone }: AskedTimeline): Timeline {
  const clock = wallClock(timeZone);
  const bounded = (instant: number) => Math.min(Math.max(instant, earliest), latest);
  const startDay = dayNumber(start);
  const endDay = dayNumber(end);
  const from = bounded(startDay === undefined ? millisecondsOf(start) : clock.startOfDay(startDay));
  const until = bounded(endDay === undefined ? millisecondsOf(end) + 1 : clock.startOfDay(endDay + 1));
  if (until <= from) throw refused("end_date", `end_date ${end} lies before start_date ${start}; exchange them`);

  const size = asked ?? smallestSize(until - from);
  const starts: number[] = [];
  for (const bucket of bucketStarts(clock, from, size)) {
    if (bucket >= until) break;
    // Skips starts before the range, and days that never existed.
    if (bucket <= from || bucket === starts.at(-1)) starts.pop();
    starts.push(bounded(bucket));
    if (starts.length > mostBuckets) {
      const fix = size === "week" ? "ask for a shorter range" : "ask for a shorter range or larger buckets";
      throw refused("bucket_size", `${start} to ${end} has more than ${mostBuckets} buckets of one ${size}; ${fix}`);
    }
  }
  return { from, until, starts };
}

/** Yields the starts of all hours, days or weeks without end, from the one that contains `from` or an earlier one. */
function* bucketStarts(clock: ReturnType<typeof wallClock>, from: number, size: BucketSize): Generator<number> {
  const day = clock.dayAt(from);
  if (size === "hour") {
    for (let hour = clock.startOfDay(day); ; hour = clock.nextHour(hour)) yield hour;
  }
  // 1970-01-01 was a Thursday.
  const first = size === "week" ? day - ((((day + 3) % 7) + 7) % 7) : day;
  for (let next = first; ; next += size === "week" ? 7 : 1) yield clock.startOfDay(next);
}

/** Returns the smallest size that cuts a range of this many milliseconds into few enough buckets, including partial ones at both ends. */
function smallestSize(lengthMs: number): BucketSize {
  const fits = (bucketMs: number): boolean => lengthMs / bucketMs + 2 <= mostBuckets;
  if (fits(hourMs)) return "hour";
  return fits(dayMs) ? "day" : "week";
}

/** Returns the day number of a date; undefined if the text is no date. */
function dayNumber(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) / dayMs : undefined;
}

function millisecondsOf(timestamp: string): number {
  return instantOf(timestamp)?.getTime() ?? Number.NaN;
}

function refused(parameter: string, message: string): Problem {
  return new Problem("invalid", message, { items: [{ loc: ["query", parameter], msg: message, type: "value_error" }] });
}
