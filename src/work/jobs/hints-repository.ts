import type { Sql } from "../../platform/database/database.ts";

/** Where daemons on one database tell each other that there is something to do: the id of who says it, and the hint. */
export const wakeChannel = "homesec_wake";

/** Tells the other daemons. To be run outside of a transaction, after what it is about was committed. */
export async function tellPeers(sql: Sql, processId: string, hints: readonly string[]): Promise<void> {
  await sql`
    select pg_notify(${wakeChannel}, ${processId} || ' ' || h.hint)
    from unnest(${[...hints]}::text[]) h (hint)
  `;
}
