import type { Sql } from "../database/database.ts";

/** Number of webhooks with sealed values, and of those sealed with a key of another fingerprint (hexadecimal). */
export interface SealedCounts {
  readonly sealed: number;
  readonly foreign: number;
}

/** Counts the sealed values in the database; without a fingerprint, all belong to another key. */
export async function countSealed(sql: Sql, fingerprint: string | undefined): Promise<SealedCounts> {
  const [row] = await sql<[SealedCounts]>`
    select count(*) as sealed,
      count(*) filter (where exists (
        select 1
        from unnest(array[w.sealed_secret, w.sealed_auth, w.sealed_headers, w.sealed_previous_secret]) as s (bytes)
        where encode(substring(s.bytes from 2 for 8), 'hex') <> ${fingerprint ?? ""}
      )) as foreign
    from webhooks w
  `;
  return row;
}
