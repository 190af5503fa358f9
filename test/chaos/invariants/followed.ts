import type { Sql } from "../../../src/platform/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import type { Follower } from "../support/follower.ts";
import { lookAt, type Rows } from "../support/rows.ts";

/** Checks what a client that followed from the start has seen: each message of the journal once, in order. Waits for the last. */
export async function wrongSequences(rows: Rows, { sequences }: Follower): Promise<readonly string[]> {
  const stored = await lookAt(rows, async (sql: Sql) => {
    const found = await sql<{ sequence: number }[]>`select j.sequence from journal j order by j.sequence`;
    return found.map(({ sequence }) => sequence);
  });
  const last = stored.at(-1) ?? 0;
  const seen = () => (sequences.at(-1) ?? 0) >= last;
  await eventually(seen, { timeoutMs: 30_000, what: "the last message at the client that follows" }).catch(() => {});
  const firstWrong = stored.findIndex((sequence, at) => sequences[at] !== sequence);
  if (firstWrong >= 0) return [`a client got ${sequences[firstWrong] ?? "nothing"} where message ${stored[firstWrong]} was to come`];
  // Later messages are newer than all of these.
  const doubled = sequences.slice(stored.length).filter((sequence) => sequence <= last);
  return doubled.length > 0 ? [`a client got ${doubled.length} messages twice`] : [];
}
