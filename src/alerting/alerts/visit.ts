import type { Visit } from "../../monitoring/batches/batches-repository.ts";
import { beginEvent } from "../../monitoring/batches/visits.ts";
import type { Sql } from "../../platform/database/database.ts";
import { modesSince } from "../modes/history.ts";
import { evaluate } from "../rules/conditions.ts";
import { visitFacts } from "../rules/facts-repository.ts";
import { isImmediate } from "../rules/immediate.ts";
import { enabledRules } from "../rules/rules-repository.ts";
import { type Evaluated, type Evaluation, evaluateEvent } from "./evaluation.ts";

/**
 * Evaluates the immediate rules for a visit that goes on, in the caller's transaction, which holds the lock of the camera's batches. The
 * first match creates the event of the visit; until then nothing is stored. Returns undefined if no rule matches.
 */
export async function evaluateVisit(
  sql: Sql,
  { batchId, eventId }: Visit,
  { delivery, now }: Pick<Evaluation, "delivery" | "now">,
): Promise<Evaluated | undefined> {
  const known = eventId ?? ((await matchesAny(sql, batchId, now)) ? await beginEvent(sql, batchId, now) : undefined);
  return known === undefined ? undefined : await evaluateEvent(sql, { eventId: known, trigger: "visit", delivery, now });
}

async function matchesAny(sql: Sql, batchId: string, now: Date): Promise<boolean> {
  const facts = await visitFacts(sql, batchId, now);
  if (!facts) return false;
  const modes = await modesSince(sql, sql`${facts.startedAt}::timestamptz`, now);
  const complete = { ...facts, mode: modes.of(facts) };
  return (await enabledRules(sql)).some((rule) => isImmediate(rule) && evaluate(rule, complete).matches);
}
