import { z } from "zod";
import { type JournalEntry, JournalMessage } from "../../contract/live.ts";
import type { Sql } from "../../platform/database/database.ts";
import { insertEntries } from "./journal-repository.ts";

const dataSchemas = new Map<string, z.ZodType>(JournalMessage.options.map((option) => [option.shape.type.value, option.shape.data]));

/**
 * Writes entries to the journal in the caller's transaction. The commit wakes the publisher, which gives them their sequence. They are
 * stored in the contract's wire format, so fields that the contract does not define never reach a client. Throws a `ZodError` if an entry
 * does not match its schema.
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
