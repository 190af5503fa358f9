import { riskBand } from "../risk/risk.ts";
import { dedupKey } from "./dedup-key.ts";
import { evaluate } from "./evaluate.ts";
import type { PastFacts } from "./facts-repository.ts";
import type { RuleDefinition, RuleVerdict } from "./rule.ts";

/** What a rule would have done with an event at the time. */
export interface Replayed {
  readonly verdict: RuleVerdict;
  /** When the alert would have been raised. */
  readonly raisedAt: Date;
  /** It matches, and no earlier alert under the same key holds it back. */
  readonly alert: boolean;
}

interface Cooldown {
  readonly endsAt: number;
  readonly band: number;
}

/** When a definition is evaluated: as soon as an event is stored, or when it has its score. */
export function triggerOf(definition: RuleDefinition): "stored" | "scored" {
  return definition.risk_threshold === null ? "stored" : "scored";
}

/**
 * Plays history through a definition of a rule: takes events in the order in which their alerts would have been raised, judges
 * each by the code that judges live ones, and keeps the cooldowns that its alerts begin. Other rules that share the same dedup
 * keys are not looked at. With `at` the schedule is judged by that time.
 */
export function replay(ruleId: string, definition: RuleDefinition, at?: Date): (facts: PastFacts) => Replayed {
  const trigger = triggerOf(definition);
  const cooldowns = new Map<string, Cooldown>();
  return (facts) => {
    const verdict = evaluate(definition, at ? { ...facts, storedAt: at } : facts);
    const raisedAt = trigger === "scored" ? (facts.scoredAt ?? facts.storedAt) : facts.storedAt;
    if (!verdict.matches) return { verdict, raisedAt, alert: false };
    const key = dedupKey(definition.dedup_key_template, {
      camera_id: facts.cameraId,
      rule_id: ruleId,
      object_type: verdict.objectType,
      severity: definition.severity,
    });
    // a rule that does not wait for the score knew none, unless the event came with one
    const band = trigger === "stored" && facts.scoredAt !== null ? 0 : riskBand(facts.riskLevel);
    const running = cooldowns.get(key);
    const isHeldBack = running && raisedAt.getTime() < running.endsAt && !(definition.escalate && band > running.band);
    if (!isHeldBack) cooldowns.set(key, { endsAt: raisedAt.getTime() + definition.cooldown_seconds * 1000, band });
    return { verdict, raisedAt, alert: !isHeldBack };
  };
}
