import { localTimeZone } from "../../base/clock/time-zone.ts";
import { Problem } from "../../contract/problem.ts";
import type { summaryRoutes } from "../../contract/routes/summaries.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { dateIn, type Span, spanOfDay } from "./schedule.ts";
import { summariseDay } from "./summary.ts";

/** The operations on summaries. */
export const summaryOperations: Pick<Operations, keyof typeof summaryRoutes> = {
  getSummary: async ({ query }, { db, clock }) => {
    const now = clock.now();
    const timeZone = localTimeZone();
    const { date = dateIn(timeZone, now) } = query;
    return await db.query((sql) => summariseDay(sql, date, pastPartOf(date, timeZone, now), now));
  },
};

/** Returns the part of a day that is over. Refuses a day in the future. */
function pastPartOf(date: string, timeZone: string, now: Date): Span {
  const { start, end } = spanOfDay(date, timeZone);
  if (start > now) throw new Problem("bad_request", `${date} is in the future; give today or a day before`);
  return { start, end: end < now ? end : now };
}
