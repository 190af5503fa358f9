import type { Sql } from "./database.ts";

const notesBySql = new WeakMap<Sql, Set<string>>();

/**
 * Adds a note that subscribers of `Database.onCommitted` receive once the transaction or query of `sql` has committed. Equal notes of one
 * transaction arrive once. A rollback discards them. There are no savepoints: `Sql` cannot nest.
 */
export function noteForCommit(sql: Sql, note: string): void {
  const notes = notesBySql.get(sql) ?? new Set();
  notesBySql.set(sql, notes.add(note));
}

/** Returns the notes added through `sql` up to now. */
export function notesOf(sql: Sql): ReadonlySet<string> | undefined {
  return notesBySql.get(sql);
}
