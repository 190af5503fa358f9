import { dayMs } from "../../../src/base/clock/clock.ts";
import { wallClock } from "../../../src/base/clock/time-zone.ts";

/** A day in the home's zone: from its first instant to the first one of the next day. It has 23 or 25 hours when the clocks change. */
export interface DaySpan {
  /** "2026-11-27". */
  readonly date: string;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  /** Each instant at which the clock shows a full hour. A repeated hour is there twice, a skipped one is not. */
  readonly hours: readonly Date[];
  readonly previous: string;
  readonly next: string;
}

const codeOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** Returns a day of a zone; undefined if the text is no day. */
export function daySpan(date: string, zone: string): DaySpan | undefined {
  const day = Date.parse(date) / dayMs;
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(date) || Number.isNaN(day) || codeOf(day) !== date) return undefined;
  const clock = wallClock(zone);
  const [start, end] = [clock.startOfDay(day), clock.startOfDay(day + 1)];
  const hours = [new Date(start)];
  for (let hour = clock.nextHour(start); hour < end; hour = clock.nextHour(hour)) hours.push(new Date(hour));
  return { date, start: new Date(start), end: new Date(end), hours, previous: codeOf(day - 1), next: codeOf(day + 1) };
}

/** Where an instant lies in a day: 0 at its start, 1 at its end. */
export function placeIn({ start, end }: DaySpan, time: Date): number {
  const share = (time.getTime() - start.getTime()) / (end.getTime() - start.getTime());
  return Math.min(1, Math.max(0, share));
}
