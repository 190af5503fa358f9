import { dayMs, hourMs, minuteMs } from "../../base/clock/clock.ts";
import { instantAt, wallClock } from "../../base/clock/time-zone.ts";

/** A span of time; the end is exclusive. */
export interface Span {
  readonly start: Date;
  readonly end: Date;
}

/** A summary that is sent at one time. */
export interface DueSummary {
  /** The local day of `dueAt`; each has one summary at most. */
  readonly sentOn: string;
  readonly dueAt: Date;
  /** The day that it is about: the day before if it is sent in the morning, otherwise the day itself. */
  readonly date: string;
  /** The part of that day before `dueAt`. */
  readonly day: Span;
  /** What no other summary covers: the time since midnight in the morning, otherwise the evening before after its summary. */
  readonly rest: Span;
}

/** A summary that could not be sent within this time is not sent any more; the next one says so. */
export const sendWithinMs = 12 * hourMs;

/** Summaries that are sent before noon are about the day before. */
const noon = 12 * 60;

/** Returns the last summary that was due at or before `now`. `at` is `HH:MM` on the clock of the zone. */
export function lastDueSummary(at: string, timeZone: string, now: Date): DueSummary {
  const today = wallClock(timeZone).dayAt(now.getTime());
  return dueOn(today, at, timeZone).dueAt <= now ? dueOn(today, at, timeZone) : dueOn(today - 1, at, timeZone);
}

/** Returns the time of the next summary after `now`. */
export function nextSummaryAt(at: string, timeZone: string, now: Date): Date {
  const today = wallClock(timeZone).dayAt(now.getTime());
  const days = [today, today + 1].map((day) => dueOn(day, at, timeZone).dueAt);
  return days.find((due) => due > now) ?? dueOn(today + 2, at, timeZone).dueAt;
}

function dueOn(day: number, at: string, timeZone: string): DueSummary {
  const clock = wallClock(timeZone);
  const minutes = minutesOf(at);
  const midnight = clock.startOfDay(day);
  const dueAt = dueTime(day, minutes, timeZone);
  const isAboutYesterday = minutes < noon;
  const about = isAboutYesterday ? day - 1 : day;
  const restStart = isAboutYesterday ? midnight : dueTime(day - 1, minutes, timeZone);
  return {
    sentOn: dateOf(day),
    dueAt: new Date(dueAt),
    date: dateOf(about),
    day: { start: new Date(clock.startOfDay(about)), end: new Date(isAboutYesterday ? midnight : dueAt) },
    rest: { start: new Date(restStart), end: new Date(isAboutYesterday ? dueAt : midnight) },
  };
}

/** When the clock shows the time twice, the first one counts; when it skips the time, a time nearby on the same day. */
function dueTime(day: number, minutes: number, timeZone: string): number {
  const clock = wallClock(timeZone);
  const start = clock.startOfDay(day);
  const due = instantAt(timeZone, day * dayMs + minutes * minuteMs, start);
  return Math.max(start, Math.min(due, clock.startOfDay(day + 1) - 1));
}

/** Returns the whole day of a date as `YYYY-MM-DD`, in a zone. */
export function spanOfDay(date: string, timeZone: string): Span {
  const day = Date.parse(date) / dayMs;
  const clock = wallClock(timeZone);
  return { start: new Date(clock.startOfDay(day)), end: new Date(clock.startOfDay(day + 1)) };
}

/** Returns the date that a zone's clock shows, as `YYYY-MM-DD`. */
export function dateIn(timeZone: string, at: Date): string {
  return dateOf(wallClock(timeZone).dayAt(at.getTime()));
}

/** Returns a date that lies this many days after another one. */
export function addDays(date: string, days: number): string {
  return dateOf(Date.parse(date) / dayMs + days);
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function minutesOf(at: string): number {
  return Number(at.slice(0, 2)) * 60 + Number(at.slice(3, 5));
}
