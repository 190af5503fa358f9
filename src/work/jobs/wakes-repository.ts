import { noteForCommit } from "../../platform/database/commit-notes.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { QueueName } from "./jobs-repository.ts";

/**
 * What a commit may make available: journal rows without a sequence, a batch that is due earlier, a changed list of cameras, jobs that may start.
 * The repositories that write such rows note it; the daemon wakes its workers after the commit, and other daemons by the same words. A lost
 * note costs up to a second, since every worker also polls.
 */
export type WakeNote = "journal" | "batches" | "watcher" | `jobs:${QueueName}`;

/** Notes that the transaction of `sql` makes work available, so that whoever does it wakes up after the commit. */
export function noteWake(sql: Sql, note: WakeNote): void {
  noteForCommit(sql, note);
}

/** The channel on which daemons that share a database send hints: the sender's process id, and the hint. */
export const wakeChannel = "homesec_wake";

/** Sends hints to the other daemons. Run it outside of a transaction, after the commit of what it is about. */
export async function notifyPeers(sql: Sql, processId: string, hints: readonly string[]): Promise<void> {
  await sql`
    select pg_notify(${wakeChannel}, ${processId} || ' ' || h.hint)
    from unnest(${[...hints]}::text[]) h (hint)
  `;
}
