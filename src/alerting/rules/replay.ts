import { riskRank } from "../../monitoring/events/event.ts";
import { evaluate } from "./conditions.ts";
import type { PastFacts, ReplayTrigger } from "./facts-repository.ts";
import { isImmediate } from "./immediate.ts";
import { dedupKey, type RuleDefinition, type RuleFacts, type RuleVerdict } from "./rule.ts";

/** The result of a replayed rule for one event. */
export interface Replayed {
  readonly facts: PastFacts;
  readonly verdict: RuleVerdict;
  /** When the alert would have been raised. */
  readonly raisedAt: Date;
  /** True if the rule matches and no earlier alert under the same key suppresses this one. */
  readonly alert: boolean;
  /**
   * Time of the earlier report as suppressed, if there was one: the event was suppressed when it was stored and passes now that it is
   * scored, or its incident is still open after the cooldown.
   */
  readonly heldBackAt: Date | null;
}

/** A replay of history through one rule definition. */
export interface Replay {
  /** Takes the next event. Returns the results that are certain by now, in the order of time; that of an immediate rule may come later. */
  take(facts: PastFacts): readonly Replayed[];
  /** Ends the replay and returns the results that were still due. */
  end(): readonly Replayed[];
}

/** An alert that suppresses others under its key. */
interface Cooldown {
  readonly endsAt: number;
  /** The event's risk rank when the alert was raised, and the rank it gets from `scoredFrom` on. */
  readonly rank: number;
  readonly scoredRank: number;
  readonly scoredFrom: number;
}

/** A suppressed match that is evaluated again: when the event is scored, or for an incident when the cooldown ends. */
interface HeldBack extends Replayed {
  readonly key: string;
  readonly by: Cooldown;
  readonly againAt: Date;
}

/** Tells when a definition is evaluated: during a visit, as soon as an event is stored, or when it has its score. */
export function triggerOf(definition: RuleDefinition): ReplayTrigger {
  if (isImmediate(definition)) return "visit";
  return definition.risk_threshold === null ? "stored" : "scored";
}

/** An event and the verdict at the moment that decides: the first match, or the end of the visit. */
interface Decided {
  readonly facts: PastFacts;
  readonly verdict: RuleVerdict;
  readonly raisedAt: Date;
}

/**
 * Replays history through a rule definition. Takes events ordered by the time when their alerts would have been raised, evaluates each
 * with the code that evaluates live events, and tracks the cooldowns. With `escalate`, a match that was suppressed when it was stored
 * gets a second chance when it is scored, and an incident gets one when the cooldown ends, as in live operation. Other rules with the
 * same dedup keys are ignored. An immediate definition is evaluated with what was known after each picture of a visit, until it matches.
 * With `at`, the schedule is evaluated at that time.
 */
export function replay(ruleId: string, definition: RuleDefinition, at?: Date): Replay {
  const trigger = triggerOf(definition);
  const cooldowns = new Map<string, Cooldown>();
  /** Sorted by the time of the next evaluation. */
  const waiting: HeldBack[] = [];

  const passes = (running: Cooldown | undefined, rank: number, now: number): boolean =>
    !running || now >= running.endsAt || (definition.escalate && rank > rankOf(running, now));

  const begin = (key: string, facts: PastFacts, raisedAt: Date, rank: number): void => {
    cooldowns.set(key, {
      endsAt: raisedAt.getTime() + definition.cooldown_seconds * 1000,
      rank,
      scoredRank: riskRank(facts.riskLevel),
      scoredFrom: (facts.scoredAt ?? facts.storedAt).getTime(),
    });
  };

  /**
   * Evaluates the suppressed matches that are due. A scored event that is no more severe than the alert that suppressed it stays
   * suppressed, even if the cooldown has ended; so does an incident that has ended.
   */
  const again = (until: number): readonly Replayed[] => {
    const raised: Replayed[] = [];
    while (waiting[0] && waiting[0].againAt.getTime() < until) {
      const held = waiting.shift() as HeldBack;
      const { key, by, againAt, facts, verdict, raisedAt } = held;
      const [now, rank] = [againAt.getTime(), riskRank(facts.riskLevel)];
      const running = cooldowns.get(key);
      if (facts.kind === "camera_health") {
        if (facts.overAt && facts.overAt <= againAt) continue;
        if (running && !passes(running, rank, now)) {
          insertInOrder(waiting, { ...held, againAt: new Date(running.endsAt) });
          continue;
        }
      } else if (rank <= rankOf(by, now) || !passes(running, rank, now)) continue;
      begin(key, facts, againAt, rank);
      raised.push({ facts, verdict, raisedAt: againAt, alert: true, heldBackAt: raisedAt });
    }
    return raised;
  };

  /**
   * Returns when a suppressed match is evaluated again, or undefined for never. A match that a digest reports through the rule's channels
   * is not evaluated again.
   */
  const nextEvaluationAt = (facts: PastFacts, running: Cooldown, isUnscored: boolean): Date | undefined => {
    if (facts.kind !== "camera_health") return definition.escalate && isUnscored ? (facts.scoredAt ?? undefined) : undefined;
    return definition.digest && definition.channels?.length ? undefined : new Date(running.endsAt);
  };

  const judge = (facts: RuleFacts): RuleVerdict =>
    evaluate(definition, at ? { ...facts, startedAt: at, endedAt: at, storedAt: at } : facts);

  const decide = (facts: PastFacts): Decided => {
    for (const known of facts.during ?? []) {
      const verdict = judge(known);
      if (verdict.matches) return { facts, verdict, raisedAt: known.storedAt };
    }
    return { facts, verdict: judge(facts), raisedAt: trigger === "scored" ? (facts.scoredAt ?? facts.storedAt) : facts.storedAt };
  };

  const settle = ({ facts, verdict, raisedAt }: Decided): Replayed => {
    const replayed = { facts, verdict, raisedAt, alert: false, heldBackAt: null };
    if (!verdict.matches) return replayed;
    const key = dedupKey(definition.dedup_key_template, {
      camera_id: facts.cameraId,
      rule_id: ruleId,
      object_type: verdict.objectType,
      severity: definition.severity,
    });
    // A rule that does not wait for the score did not know it, unless the event arrived with one.
    const isUnscored = trigger !== "scored" && facts.scoredAt !== null;
    const rank = isUnscored ? 0 : riskRank(facts.riskLevel);
    const running = cooldowns.get(key);
    if (passes(running, rank, raisedAt.getTime())) {
      begin(key, facts, raisedAt, rank);
      return { ...replayed, alert: true };
    }
    const againAt = running && nextEvaluationAt(facts, running, isUnscored);
    if (running && againAt) insertInOrder(waiting, { ...replayed, key, by: running, againAt });
    return replayed;
  };

  if (trigger === "visit") return replayVisits({ decide, settle, again });
  return {
    take: (facts) => {
      const before = waiting.length === 0 ? [] : again(facts.storedAt.getTime());
      return [...before, settle(decide(facts))];
    },
    end: () => again(Number.POSITIVE_INFINITY),
  };
}

/** Visits overlap: the one that began first may alert last. So each one waits until no other can alert before it. */
function replayVisits({
  decide,
  settle,
  again,
}: {
  readonly decide: (facts: PastFacts) => Decided;
  readonly settle: (decided: Decided) => Replayed;
  readonly again: (until: number) => readonly Replayed[];
}): Replay {
  const undecided: Decided[] = [];
  const settleUntil = (until: number): readonly Replayed[] => {
    const settled: Replayed[] = [];
    while (undecided[0] && undecided[0].raisedAt.getTime() < until) {
      const next = undecided.shift() as Decided;
      settled.push(...again(next.raisedAt.getTime()), settle(next));
    }
    return settled;
  };
  return {
    take: (facts) => {
      const before = settleUntil((facts.during?.[0] ?? facts).storedAt.getTime());
      insertByTime(undecided, decide(facts));
      return before;
    },
    end: () => [...settleUntil(Number.POSITIVE_INFINITY), ...again(Number.POSITIVE_INFINITY)],
  };
}

/** Of equal times, the one that was taken first comes first. */
function insertByTime(decided: Decided[], next: Decided): void {
  const before = decided.findLastIndex(({ raisedAt }) => raisedAt <= next.raisedAt);
  decided.splice(before + 1, 0, next);
}

/** Returns the risk rank of an alert's event as known at a given time. */
function rankOf({ rank, scoredRank, scoredFrom }: Cooldown, now: number): number {
  return scoredFrom <= now ? Math.max(rank, scoredRank) : rank;
}

/** Most entries go at the end: events are scored in roughly the order they are stored. */
function insertInOrder(waiting: HeldBack[], held: HeldBack): void {
  const before = waiting.findLastIndex(({ againAt }) => againAt <= held.againAt);
  waiting.splice(before + 1, 0, held);
}
