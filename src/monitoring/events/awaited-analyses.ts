import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { findEvents } from "./events-repository.ts";

/** Marks events as waiting for an analysis and announces that. Their scores stay until the new ones arrive. */
export async function awaitAnalyses(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  await sql`
    update events e
    set analysis_status = 'pending', updated_at = ${now}
    where e.event_id = any (${[...eventIds]}::bigint[])
      and e.analysis_status <> 'pending'
  `;
  const events = (await findEvents(sql, eventIds)).filter(({ deleted_at }) => deleted_at === null);
  await appendToJournal(
    sql,
    events.map((data) => ({ type: "event.updated" as const, data })),
    now,
  );
}
