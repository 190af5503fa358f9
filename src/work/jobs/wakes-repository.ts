import { noteForCommit, type Sql } from "../../platform/database/database.ts";
import type { QueueName } from "./jobs-repository.ts";

/**
 * The kind of work that a commit makes available: journal rows without a sequence, a batch that is due earlier, a changed list of
 * cameras, changed rules, or jobs that may start. The repositories that write such rows add the note. After the commit, the daemon wakes its workers and
 * sends the same text to the other daemons. A lost note delays the work by at most a second, since every worker also polls.
 */
export type WakeNote = "journal" | "batches" | "watcher" | "rules" | `jobs:${QueueName}`;

/** Notes that the transaction of `sql` makes work available, so that its workers wake up after the commit. */
export function noteWake(sql: Sql, note: WakeNote): void {
  noteForCommit(sql, note);
}

/** The channel for hints between daemons that share a database. A message consists of the sender's process id and the hint. */
export const wakeChannel = "homesec_wake";

/** Sends hints to the other daemons. Call it outside a transaction, after the commit of the work. */
export async function notifyPeers(sql: Sql, processId: string, hints: readonly string[]): Promise<void> {
  await sql`
    select pg_notify(${wakeChannel}, ${processId} || ' ' || h.hint)
    from unnest(${[...hints]}::text[]) h (hint)
  `;
}
