import { pluralize } from "../../base/text/format.ts";
import type { Sql } from "../database/database.ts";

/** Number of things with sealed values. */
export interface Holders {
  readonly webhooks: number;
  readonly cameras: number;
}

/** The things with sealed values, and those of them sealed with a key of another fingerprint (hexadecimal). */
export interface SealedCounts {
  readonly sealed: Holders;
  readonly foreign: Holders;
}

/** Counts the sealed values in the database; without a fingerprint, all belong to another key. */
export async function countSealed(sql: Sql, fingerprint: string | undefined): Promise<SealedCounts> {
  const rows = await sql<{ kind: keyof Holders; sealed: number; foreign: number }[]>`
    select h.kind, count(*) as sealed,
      count(*) filter (where exists (
        select 1
        from unnest(h.secrets) as s (bytes)
        where encode(substring(s.bytes from 2 for 8), 'hex') <> ${fingerprint ?? ""}
      )) as foreign
    from (
      select 'webhooks' as kind, array[w.sealed_secret, w.sealed_auth, w.sealed_headers, w.sealed_previous_secret] as secrets
      from webhooks w
      union all
      select 'cameras', array[p.sealed_password]
      from camera_pulls p
      where p.sealed_password is not null
    ) h
    group by h.kind
  `;
  const of = (kind: keyof Holders, count: "sealed" | "foreign"): number => rows.find((row) => row.kind === kind)?.[count] ?? 0;
  return {
    sealed: { webhooks: of("webhooks", "sealed"), cameras: of("cameras", "sealed") },
    foreign: { webhooks: of("webhooks", "foreign"), cameras: of("cameras", "foreign") },
  };
}

/** Formats counts, such as "2 webhooks and 1 camera"; undefined if there are none. */
export function holdersText({ webhooks, cameras }: Holders): string | undefined {
  const parts = [...(webhooks > 0 ? [pluralize(webhooks, "webhook")] : []), ...(cameras > 0 ? [pluralize(cameras, "camera")] : [])];
  return parts.length === 0 ? undefined : parts.join(" and ");
}
