import { dayMs } from "../../../src/base/clock/clock.ts";
import { wallClock } from "../../../src/base/clock/time-zone.ts";

/** The lengths of a period in days. */
export const periodLengths = [7, 30, 90] as const;

/** The last days up to now, and as long a time before. */
export interface Period {
  readonly days: number;
  /** The start of the first day in the home's zone. */
  readonly start: Date;
  readonly end: Date;
  /** The period before: it ends at the same time of day, so that a day that is not over is compared with the same part of another. */
  readonly before: { readonly start: Date; readonly end: Date };
  /** The same days in UTC, as the routes of the analytics count them. */
  readonly utc: { readonly start_date: string; readonly end_date: string };
}

/** Returns the last `days` days of a zone, today included. */
export function periodOf(days: number, now: Date, zone: string): Period {
  const clock = wallClock(zone);
  const today = clock.dayAt(now.getTime());
  const start = clock.startOfDay(today - days + 1);
  const beforeStart = clock.startOfDay(today - 2 * days + 1);
  const intoToday = now.getTime() - clock.startOfDay(today);
  const utcDay = (offset: number): string => new Date(now.getTime() - offset * dayMs).toISOString().slice(0, 10);
  return {
    days,
    start: new Date(start),
    end: now,
    before: { start: new Date(beforeStart), end: new Date(clock.startOfDay(today - days) + intoToday) },
    utc: { start_date: utcDay(days - 1), end_date: utcDay(0) },
  };
}
