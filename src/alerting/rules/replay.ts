import { riskBand } from "../../monitoring/events/risk.ts";
import { dedupKey } from "./dedup-key.ts";
import { evaluate } from "./evaluate.ts";
import type { PastFacts } from "./facts-repository.ts";
import type { RuleDefinition, RuleVerdict } from "./rule.ts";

/** What a rule would have done with an event at the time. */
export interface Replayed {
  readonly facts: PastFacts;
  readonly verdict: RuleVerdict;
  /** When the alert would have been raised. */
  readonly raisedAt: Date;
  /** It matches, and no earlier alert under the same key holds it back. */
  readonly alert: boolean;
  /** When it was told before as held back: it was stored then, and passes the cooldown now that it is judged, or lasts when that is over. */
  readonly heldBackAt: Date | null;
}

/** History as it goes through a definition. */
export interface Replay {
  /** The next event. Returns what comes of it, after what comes meanwhile of those before it. */
  take(facts: PastFacts): readonly Replayed[];
  /** After the last event: what still comes of all. */
  end(): readonly Replayed[];
}

/** What holds back others: an alert for an event. */
interface Cooldown {
  readonly endsAt: number;
  /** The band of the event when the alert was raised; and what it is judged to be, from when on. */
  readonly band: number;
  readonly judgedBand: number;
  readonly judgedAt: number;
}

/** A match that was held back, and is looked at again when it is judged, or an incident when the cooldown is over. */
interface HeldBack extends Replayed {
  readonly key: string;
  readonly by: Cooldown;
  readonly againAt: Date;
}

/** When a definition is evaluated: as soon as an event is stored, or when it has its score. */
export function triggerOf(definition: RuleDefinition): "stored" | "scored" {
  return definition.risk_threshold === null ? "stored" : "scored";
}

/**
 * Plays history through a definition of a rule: takes events in the order in which their alerts would have been raised, judges
 * each by the code that judges live ones, and keeps the cooldowns that its alerts begin. With `escalate`, what is held back when it is
 * stored has a second chance when it is judged, and an incident when the cooldown is over, as live. Other rules that share the same dedup keys are not looked at. With `at` the
 * schedule is judged by that time.
 */
export function replay(ruleId: string, definition: RuleDefinition, at?: Date): Replay {
  const trigger = triggerOf(definition);
  const cooldowns = new Map<string, Cooldown>();
  /** By the time when they are looked at again. */
  const waiting: HeldBack[] = [];

  const passes = (running: Cooldown | undefined, band: number, now: number): boolean =>
    !running || now >= running.endsAt || (definition.escalate && band > bandOf(running, now));

  const begin = (key: string, facts: PastFacts, raisedAt: Date, band: number): void => {
    cooldowns.set(key, {
      endsAt: raisedAt.getTime() + definition.cooldown_seconds * 1000,
      band,
      judgedBand: riskBand(facts.riskLevel),
      judgedAt: (facts.scoredAt ?? facts.storedAt).getTime(),
    });
  };

  /**
   * What comes of those that were held back when they are looked at again: nothing where one that is judged is no worse than what held it back, though the
   * cooldown be over, and nothing of an incident that is over.
   */
  const again = (until: number): readonly Replayed[] => {
    const raised: Replayed[] = [];
    while (waiting[0] && waiting[0].againAt.getTime() < until) {
      const held = waiting.shift() as HeldBack;
      const { key, by, againAt, facts, verdict, raisedAt } = held;
      const [now, band] = [againAt.getTime(), riskBand(facts.riskLevel)];
      const running = cooldowns.get(key);
      if (facts.kind === "camera_health") {
        if (facts.overAt && facts.overAt <= againAt) continue;
        if (running && !passes(running, band, now)) {
          insertInOrder(waiting, { ...held, againAt: new Date(running.endsAt) });
          continue;
        }
      } else if (band <= bandOf(by, now) || !passes(running, band, now)) continue;
      begin(key, facts, againAt, band);
      raised.push({ facts, verdict, raisedAt: againAt, alert: true, heldBackAt: raisedAt });
    }
    return raised;
  };

  /** When a match that is held back is looked at again; undefined: never. What a digest tells of through the rule's channels is not. */
  const nextLookAt = (facts: PastFacts, running: Cooldown, isUnjudged: boolean): Date | undefined => {
    if (facts.kind !== "camera_health") return definition.escalate && isUnjudged ? (facts.scoredAt ?? undefined) : undefined;
    return definition.digest && definition.channels?.length ? undefined : new Date(running.endsAt);
  };

  const look = (facts: PastFacts): Replayed => {
    const verdict = evaluate(definition, at ? { ...facts, storedAt: at } : facts);
    const raisedAt = trigger === "scored" ? (facts.scoredAt ?? facts.storedAt) : facts.storedAt;
    const replayed = { facts, verdict, raisedAt, alert: false, heldBackAt: null };
    if (!verdict.matches) return replayed;
    const key = dedupKey(definition.dedup_key_template, {
      camera_id: facts.cameraId,
      rule_id: ruleId,
      object_type: verdict.objectType,
      severity: definition.severity,
    });
    // a rule that does not wait for the score knew none, unless the event came with one
    const isUnjudged = trigger === "stored" && facts.scoredAt !== null;
    const band = isUnjudged ? 0 : riskBand(facts.riskLevel);
    const running = cooldowns.get(key);
    if (passes(running, band, raisedAt.getTime())) {
      begin(key, facts, raisedAt, band);
      return { ...replayed, alert: true };
    }
    const againAt = running && nextLookAt(facts, running, isUnjudged);
    if (running && againAt) insertInOrder(waiting, { ...replayed, key, by: running, againAt });
    return replayed;
  };

  return {
    take: (facts) => {
      const before = waiting.length === 0 ? [] : again(facts.storedAt.getTime());
      return [...before, look(facts)];
    },
    end: () => again(Number.POSITIVE_INFINITY),
  };
}

/** How bad the event of an alert is known to be at a time. */
function bandOf({ band, judgedBand, judgedAt }: Cooldown, now: number): number {
  return judgedAt <= now ? Math.max(band, judgedBand) : band;
}

/** Most come at the end: events are judged about in the order in which they are stored. */
function insertInOrder(waiting: HeldBack[], held: HeldBack): void {
  const before = waiting.findLastIndex(({ againAt }) => againAt <= held.againAt);
  waiting.splice(before + 1, 0, held);
}
