import { RuleDefinition as StoredDefinition } from "../../contract/routes/rules.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { RuleDefinition } from "./rule.ts";

/** Keeps a definition of a rule. */
export async function insertVersion(sql: Sql, ruleId: string, version: number, definition: RuleDefinition, now: Date): Promise<void> {
  await sql`
    insert into rule_versions (rule_id, version, definition, created_at)
    values (${ruleId}, ${version}, ${JSON.stringify(definition)}::text::jsonb, ${now})
  `;
}

/** A definition that a rule had, or undefined. Throws a `ZodError` when what is stored is not what it should be. */
export async function findVersion(sql: Sql, ruleId: string, version: number): Promise<RuleDefinition | undefined> {
  const [row] = await sql<[{ definition: unknown }?]>`
    select v.definition
    from rule_versions v
    where v.rule_id = ${ruleId}
      and v.version = ${version}::bigint
  `;
  return row && StoredDefinition.parse(row.definition);
}
