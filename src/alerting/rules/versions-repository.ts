import { RuleDefinition as StoredDefinition } from "../../contract/routes/rules.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { RuleDefinition } from "./rule.ts";

/** Stores a version of a rule definition. */
export async function insertVersion(sql: Sql, ruleId: string, version: number, definition: RuleDefinition, now: Date): Promise<void> {
  await sql`
    insert into rule_versions (rule_id, version, definition, created_at)
    values (${ruleId}, ${version}, ${JSON.stringify(definition)}::text::jsonb, ${now})
  `;
}

/** Finds a version of a rule definition; undefined if there is none. Throws a `ZodError` if the stored definition is invalid. */
export async function findVersion(sql: Sql, ruleId: string, version: number): Promise<RuleDefinition | undefined> {
  const [row] = await sql<[{ definition: unknown }?]>`
    select v.definition
    from rule_versions v
    where v.rule_id = ${ruleId}
      and v.version = ${version}::bigint
  `;
  return row && StoredDefinition.parse(row.definition);
}
