import type { Sql, SqlFragment } from "./database.ts";

/**
 * Returns a short text that differs for each combination of these values: 16 hexadecimal digits of their SHA-256. An address that has it
 * never shows something else, also after a restore, when an id may belong to another row.
 */
export function fingerprint(sql: Sql, values: readonly [SqlFragment, ...SqlFragment[]]): SqlFragment {
  // A missing value is a word, so that the others keep their places
  const parts = values.map((value) => sql`, coalesce((${value})::text, 'none')`);
  return sql`left(encode(sha256(convert_to(concat_ws(' '${parts}), 'UTF8')), 'hex'), 16)`;
}
