import type { Sql } from "../../platform/database/database.ts";
import { noteWake } from "../jobs/wakes-repository.ts";

/** Where `number_journal` announces the newest sequence after each commit. */
export const journalChannel = "homesec_journal";

/** A numbered journal row, as it goes out: `data` is JSON text in the contract's wire form. */
export interface PublishedRow {
  readonly sequence: number;
  readonly type: string;
  readonly data: string;
  readonly created_at: Date;
}

/** Stores entries, unnumbered, in the order given. `data` is JSON text, one for each type. */
export async function insertEntries(sql: Sql, types: readonly string[], data: readonly string[], at: Date): Promise<void> {
  await sql`
    insert into journal (type, data, created_at)
    select e.type, e.data::jsonb, ${at}::timestamptz
    from unnest(${types as string[]}::text[], ${data as string[]}::text[]) with ordinality as e (type, data, position)
    order by e.position`;
  noteWake(sql, "journal");
}

/** Numbers the oldest committed entries that have no number yet and returns them in order. To be run outside of a transaction. */
export async function numberEntries(sql: Sql, atMost: number): Promise<PublishedRow[]> {
  return sql<PublishedRow[]>`
    select n.sequence, n.type, n.data, n.created_at
    from number_journal(${atMost}) n`;
}

/** The newest sequence that was ever given; 0 before the first. */
export async function readHead(sql: Sql): Promise<number> {
  const [head] = await sql<[{ last_sequence: number }]>`select h.last_sequence from journal_head h`;
  return head.last_sequence;
}

/** The rows after `sequence`, in order. The first is not `sequence + 1` when older rows were removed. */
export async function readAfter(sql: Sql, sequence: number, limit: number): Promise<PublishedRow[]> {
  return sql<PublishedRow[]>`
    select j.sequence, j.type, j.data::text as data, j.created_at
    from journal j
    where j.sequence > ${sequence}
    order by j.sequence
    limit ${limit}`;
}
