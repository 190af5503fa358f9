import { notFound, Problem } from "../../contract/problem.ts";
import { uuidOf } from "../../contract/values.ts";
import type { Sql } from "../../platform/database/database.ts";
import { allModes } from "../modes/modes-repository.ts";
import { definitionOf } from "./definition.ts";
import type { Rule, RuleDefinition } from "./rule.ts";
import { findRule } from "./rules-repository.ts";
import { findVersion } from "./versions-repository.ts";

/** Checks a rule id. Throws `Problem("not_found")` naming a text that cannot be a rule id. */
export function requireRuleId(ruleId: string): string {
  const id = uuidOf(ruleId);
  if (id === undefined) throw notFound("Rule", ruleId);
  return id;
}

/** Returns a rule. Throws `Problem("not_found")` naming its id. */
export async function requireRule(sql: Sql, ruleId: string): Promise<Rule> {
  const rule = await findRule(sql, requireRuleId(ruleId));
  if (!rule) throw notFound("Rule", ruleId);
  return rule;
}

/** Returns an earlier definition of a rule. Throws `Problem("not_found")` naming the version. */
export async function requireVersion(sql: Sql, rule: Rule, version: number): Promise<RuleDefinition> {
  if (version === rule.version) return definitionOf(rule);
  const definition = await findVersion(sql, rule.id, version);
  if (!definition) throw new Problem("not_found", `Rule ${rule.id} has no version ${version}; it has 1 to ${rule.version}`);
  return definition;
}

/** Throws `Problem("invalid")` for modes that do not exist: a rule would never alert in them. */
export async function requireModes(sql: Sql, modes: readonly string[] | null): Promise<void> {
  if (modes === null) return;
  const known = (await allModes(sql)).map(({ name }) => name);
  const unknown = modes.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const msg = `There is no mode ${unknown.join(" or ")}; the modes are ${known.join(", ")}`;
  throw new Problem("invalid", msg, { items: [{ loc: ["body", "modes"], msg, type: "value_error" }] });
}
