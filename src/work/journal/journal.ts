import { z } from "zod";
import { type JournalEntry, JournalMessage } from "../../contract/live.ts";
import type { Sql } from "../../platform/database/database.ts";
import { insertEntries } from "./journal-repository.ts";

const dataSchemas = new Map<string, z.ZodType>(JournalMessage.options.map((option) => [option.shape.type.value, option.shape.data]));

/**
 * Writes entries into the journal in the caller's transaction. They get their sequence after the commit, which wakes the publisher. They are stored
 * in the contract's wire form, so that what the contract does not name never reaches a client. Throws a `ZodError` when
 * an entry does not fit its schema.
 */
export async function appendToJournal(sql: Sql, entries: readonly JournalEntry[], at: Date): Promise<void> {
  if (entries.length === 0) return;
  const types = entries.map((entry) => entry.type);
  await insertEntries(sql, types, entries.map(wireData), at);
}

function wireData(entry: JournalEntry): string {
  const schema = dataSchemas.get(entry.type);
  if (!schema) throw new Error(`the contract has no journal type ${entry.type}`);
  return JSON.stringify(z.encode(schema, entry.data));
}
