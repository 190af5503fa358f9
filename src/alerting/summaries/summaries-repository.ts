import { z } from "zod";
import { SentSummary } from "../../contract/outbound-events.ts";
import type { Sql } from "../../platform/database/database.ts";

/** Returns the last handled day up to a time: its summary was sent, or deliberately not sent. Undefined before the first one. */
export async function lastHandledDay(sql: Sql, now: Date): Promise<string | undefined> {
  const [row] = await sql<[{ day: string | null }]>`
    select max(s.day)::text as day
    from daily_summaries s
    where s.due_at <= ${now}
  `;
  return row.day ?? undefined;
}

/**
 * Claims the summary of a day, so that one of several processes sends it. Returns whether this call claimed it. Deletes summaries from the
 * future, which a clock that was ahead has left: their days still get one.
 */
export async function claimSummary(sql: Sql, day: string, dueAt: Date, now: Date): Promise<boolean> {
  await sql`
    delete from daily_summaries s
    where s.created_at > ${now}::timestamptz + interval '1 hour'
      and s.due_at > ${now}
  `;
  const claimed = await sql`
    insert into daily_summaries (day, due_at, created_at)
    values (${day}, ${dueAt}, ${now})
    on conflict (day) do nothing
  `;
  return claimed.count > 0;
}

/** Stores the content of a claimed summary. */
export async function storeSummary(sql: Sql, day: string, content: SentSummary): Promise<void> {
  await sql`
    update daily_summaries s
    set content = ${JSON.stringify(z.encode(SentSummary, content))}::text::jsonb
    where s.day = ${day}
  `;
}

/** Returns the content of a summary; undefined if it was deleted. */
export async function findSummary(sql: Sql, day: string): Promise<SentSummary | undefined> {
  const [row] = await sql<[{ content: z.input<typeof SentSummary> | null }?]>`
    select s.content
    from daily_summaries s
    where s.day = ${day}
  `;
  return row?.content ? SentSummary.parse(row.content) : undefined;
}

/** Deletes summaries that were due before a time, with their notifications. Returns their number. */
export async function deleteSummaries(sql: Sql, before: Date): Promise<number> {
  const deleted = await sql`
    delete from daily_summaries s
    where s.due_at < ${before}
      and not exists (select from notifications n where n.summary_day = s.day and n.finished_at is null)
  `;
  return deleted.count;
}
