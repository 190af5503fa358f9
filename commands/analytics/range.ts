import { dayMs, minuteMs } from "../../src/clock/durations.ts";
import { time } from "../input/options.ts";

/** The days that are asked for. */
export const rangeOptions = {
  startDate: time("First day; 29 days before the last one when left out"),
  endDate: time("Last day, today when left out"),
};

/** The query of the API: days in UTC. A day that was typed as a date is that day, wherever the person is. */
export function rangeQuery(
  { startDate, endDate }: { readonly startDate: Date | undefined; readonly endDate: Date | undefined },
  now: Date,
) {
  const last = endDate === undefined ? dayIn(now) : typedDay(endDate);
  const first = startDate === undefined ? dayIn(new Date(Date.parse(last) - 29 * dayMs)) : typedDay(startDate);
  return { start_date: first, end_date: last };
}

/** A date is read as its first local instant; any other time stands for its day in UTC. */
function typedDay(time: Date): string {
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0;
  return dayIn(isMidnight ? new Date(time.getTime() - time.getTimezoneOffset() * minuteMs) : time);
}

const dayIn = (time: Date): string => time.toISOString().slice(0, 10);
