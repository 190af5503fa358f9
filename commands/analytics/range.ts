import { dayMs } from "../../src/base/clock/durations.ts";
import { day } from "../input/options.ts";

/** The days that are asked for. */
export const rangeOptions = {
  startDate: day("First day; 29 days before the last one when left out"),
  endDate: day("Last day, today when left out"),
};

/** The query of the API: days in UTC. */
export function rangeQuery(
  { startDate, endDate }: { readonly startDate: string | undefined; readonly endDate: string | undefined },
  now: Date,
) {
  const last = endDate ?? dayIn(now);
  return { start_date: startDate ?? dayIn(new Date(Date.parse(last) - 29 * dayMs)), end_date: last };
}

const dayIn = (time: Date): string => time.toISOString().slice(0, 10);
