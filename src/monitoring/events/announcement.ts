import type { JournalEntry } from "../../contract/live.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { queueEvaluations } from "./evaluation-repository.ts";
import type { Event } from "./event.ts";
import { emitAboutEvents } from "./messages.ts";

/**
 * Announces new events in the caller's transaction: to clients, each after the entries of `cause`, to webhooks, and to the rules that do
 * not wait for a score. Clients know those in `isKnown` already, since a rule alerted during the visit: they get an update.
 */
export async function announceEvents(
  sql: Sql,
  events: readonly Event[],
  now: Date,
  isKnown: ReadonlySet<number> = new Set(),
  cause: (event: Event) => readonly JournalEntry[] = () => [],
): Promise<void> {
  const entries = events.flatMap((data): readonly JournalEntry[] => [...cause(data), entryOf(data, isKnown.has(data.id))]);
  await appendToJournal(sql, entries, now);
  const messages = events.map((data) => ({ type: "event_created" as const, subject: String(data.id), about: data.id, data }));
  await emitAboutEvents(sql, messages, now);
  const ids = events.map(({ id }) => id);
  await queueEvaluations(sql, ids, "stored", now);
}

function entryOf(data: Event, isKnown: boolean): JournalEntry {
  return isKnown ? { type: "event.updated", data } : { type: "event", data };
}
