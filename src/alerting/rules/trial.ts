import type { z } from "zod";
import type { ruleRoutes } from "../../contract/routes/rules.ts";
import type { Database } from "../../platform/database/database.ts";
import { definitionOf } from "./definition.ts";
import { type PastEvents, type PastFacts, pastFacts } from "./facts-repository.ts";
import { hasPlace } from "./place-conditions.ts";
import { type Replayed, replay, triggerOf } from "./replay.ts";
import type { Rule } from "./rule.ts";

type Result = z.output<typeof ruleRoutes.testRule.reply>;

/** Evaluates a rule for stored events, newest first. With `at`, the schedule is evaluated at that time. */
export async function tryRule(db: Database, rule: Rule, events: PastEvents, at: Date | undefined): Promise<Result> {
  const definition = definitionOf(rule);
  const history = replay(rule.id, definition, at);
  const results: (Result["results"][number] & Pick<PastFacts, "storedAt">)[] = [];
  let alerts = 0;
  const note = ({ facts, verdict, alert, heldBackAt }: Replayed): void => {
    if (alert) alerts += 1;
    if (heldBackAt !== null) return;
    results.push({
      event_id: facts.eventId,
      storedAt: facts.storedAt,
      matches: verdict.matches,
      matched_conditions: [...verdict.matchedConditions],
      failed_conditions: [...verdict.failedConditions],
    });
  };
  for await (const batch of db.iterate((sql) => pastFacts(sql, events, { trigger: triggerOf(definition), places: hasPlace(definition) }))) {
    for (const facts of batch) history.take(facts).forEach(note);
  }
  history.end().forEach(note);
  results.sort((one, other) => other.storedAt.getTime() - one.storedAt.getTime() || other.event_id - one.event_id);
  const matched = results.filter(({ matches }) => matches).length;
  return {
    rule_id: rule.id,
    rule_name: rule.name,
    events_tested: results.length,
    events_matched: matched,
    match_rate: results.length === 0 ? 0 : matched / results.length,
    alerts_after_cooldown: alerts,
    results: results.map(({ storedAt: _storedAt, ...result }) => result),
  };
}
