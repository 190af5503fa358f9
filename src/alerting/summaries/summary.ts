import type { z } from "zod";
import type { SentSummary } from "../../contract/outbound-events.ts";
import type { DaySummary } from "../../contract/routes/summaries.ts";
import type { Sql } from "../../platform/database/database.ts";
import { countJobs } from "../../work/jobs/jobs-repository.ts";
import { countAlerts, countEvents, countHidden, problemsIn, seenByCamera } from "./facts-repository.ts";
import type { DueSummary, Span } from "./schedule.ts";

/** Summarises a day, or its part that is over. */
export async function summariseDay(sql: Sql, date: string, span: Span, now: Date): Promise<z.output<typeof DaySummary>> {
  const { detect, analyze, deliver, ...others } = await countJobs(sql, now);
  const failed = [detect, analyze, deliver, ...Object.values(others)].reduce((sum, { dead }) => sum + dead, 0);
  const open = ({ waiting, deferred, inProgress }: typeof detect): number => waiting + deferred + inProgress;
  return {
    date,
    started_at: span.start,
    ended_at: span.end,
    events: await countEvents(sql, span),
    cameras: await seenByCamera(sql, span),
    alerts: await countAlerts(sql, span),
    hidden: await countHidden(sql, span),
    problems: await problemsIn(sql, span),
    pending: { pictures: open(detect), judgements: open(analyze), messages: open(deliver), failed },
  };
}

/** Writes the content of a summary that is due. */
export async function writeSummary(
  sql: Sql,
  { dueAt, date, day, rest }: DueSummary,
  missed: SentSummary["missed"],
  now: Date,
): Promise<SentSummary> {
  const { total: events } = await countEvents(sql, rest);
  const { total: alerts } = await countAlerts(sql, rest);
  return {
    due_at: dueAt,
    day: await summariseDay(sql, date, day, now),
    rest: { started_at: rest.start, ended_at: rest.end, events, alerts },
    missed,
  };
}
