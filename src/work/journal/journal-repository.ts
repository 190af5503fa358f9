import type { Sql } from "../../platform/database/database.ts";
import { noteWake } from "../jobs/wakes-repository.ts";

/** The channel where `number_journal` announces the newest sequence after each commit. */
export const journalChannel = "homesec_journal";

/** A numbered journal row as clients receive it: `data` is JSON text in the contract's wire format. */
export interface PublishedRow {
  readonly sequence: number;
  readonly type: string;
  readonly data: string;
  readonly created_at: Date;
}

/** Stores entries without numbers, in the order given. `types` and `data` have the same length; `data` is JSON text. */
export async function insertEntries(sql: Sql, types: readonly string[], data: readonly string[], at: Date): Promise<void> {
  await sql`
    insert into journal (type, data, created_at)
    select e.type, e.data::jsonb, ${at}::timestamptz
    from unnest(${types as string[]}::text[], ${data as string[]}::text[]) with ordinality as e (type, data, position)
    order by e.position`;
  noteWake(sql, "journal");
}

/** Numbers the oldest committed entries without a number and returns them in order. Call it outside a transaction. */
export async function numberEntries(sql: Sql, atMost: number): Promise<PublishedRow[]> {
  return sql<PublishedRow[]>`
    select n.sequence, n.type, n.data, n.created_at
    from number_journal(${atMost}) n`;
}

/** Returns the highest sequence ever assigned; 0 if there is none. */
export async function readHead(sql: Sql): Promise<number> {
  const [head] = await sql<[{ last_sequence: number }]>`select h.last_sequence from journal_head h`;
  return head.last_sequence;
}

/** Returns the rows after `sequence`, in order. The first is not `sequence + 1` if older rows were deleted. */
export async function readAfter(sql: Sql, sequence: number, limit: number): Promise<PublishedRow[]> {
  return sql<PublishedRow[]>`
    select j.sequence, j.type, j.data::text as data, j.created_at
    from journal j
    where j.sequence > ${sequence}
    order by j.sequence
    limit ${limit}`;
}
