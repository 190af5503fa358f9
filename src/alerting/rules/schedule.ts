import { weekdays } from "../../base/clock/calendar.ts";
import { minuteMs } from "../../base/clock/clock.ts";
import { offsetIn } from "../../base/clock/time-zone.ts";
import type { Schedule } from "./rule.ts";

const minutesPerDay = 1440;

/**
 * Tells whether an instant lies within a schedule. The wall clock of the schedule's time zone decides: an hour that the clock shows twice
 * counts twice, and a skipped hour never comes. The start is inclusive, the end is exclusive. A window across midnight belongs to the day
 * it starts on; equal start and end mean 24 hours. Throws `RangeError` for an unknown time zone.
 */
export function isWithin(schedule: Schedule, at: Date): boolean {
  const { day, minute } = wallTime(schedule, at);
  if (schedule.start_time === null || schedule.end_time === null) return holdsOn(schedule, day);
  const start = minuteOf(schedule.start_time);
  const end = minuteOf(schedule.end_time);
  if (start < end) return start <= minute && minute < end && holdsOn(schedule, day);
  return (minute >= start && holdsOn(schedule, day)) || (minute < end && holdsOn(schedule, day + 6));
}

/** Formats a schedule as the command line accepts it: `mon-fri 22:00-06:00 Europe/Berlin`. */
export function describeSchedule(schedule: Schedule): string {
  const days = daysText(schedule.days);
  const times = schedule.start_time === null || schedule.end_time === null ? undefined : `${schedule.start_time}-${schedule.end_time}`;
  return [days, times, schedule.timezone].filter((part) => part !== undefined).join(" ");
}

/** Formats the wall-clock time in the schedule's zone: `wed 14:30`. */
export function describeWallTime(schedule: Schedule, at: Date): string {
  const { day, minute } = wallTime(schedule, at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${short(day)} ${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** Returns the weekday (0 is Monday) and the minute of the day in the schedule's zone. */
function wallTime(schedule: Schedule, at: Date): { readonly day: number; readonly minute: number } {
  const instant = at.getTime();
  const minutes = Math.floor((instant + offsetIn(schedule.timezone)(instant)) / minuteMs);
  const dayNumber = Math.floor(minutes / minutesPerDay);
  // Day 0, 1970-01-01, was a Thursday.
  return { day: (((dayNumber + 3) % 7) + 7) % 7, minute: minutes - dayNumber * minutesPerDay };
}

/** `day` may exceed Sunday (6); it wraps around. */
function holdsOn(schedule: Schedule, day: number): boolean {
  return schedule.days.length === 0 || schedule.days.includes(weekdays[day % 7] as (typeof weekdays)[number]);
}

/** Converts `HH:MM` to minutes since midnight. */
function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/** Three or more consecutive days are written as a range; a schedule for every day needs no day text. */
function daysText(days: Schedule["days"]): string | undefined {
  const numbers = weekdays.flatMap((name, index) => (days.includes(name) ? [index] : []));
  if (numbers.length === 0 || numbers.length === 7) return undefined;
  const runs: number[][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run?.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs.map((run) => (run.length > 2 ? `${short(run[0] ?? 0)}-${short(run.at(-1) ?? 0)}` : run.map(short).join(","))).join(",");
}

function short(day: number): string {
  return (weekdays[day] as string).slice(0, 3);
}
