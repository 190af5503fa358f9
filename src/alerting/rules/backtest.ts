import type { z } from "zod";
import { dayMs } from "../../base/clock/clock.ts";
import { offsetIn } from "../../base/clock/time-zone.ts";
import type { ReplayedEvent as ReplayedEventRecord, RuleReplay, ruleRoutes } from "../../contract/routes/rules.ts";
import type { Database } from "../../platform/database/database.ts";
import { type ConditionField, fieldOfCondition } from "./condition-field.ts";
import { type PastEvents, type PastFacts, pastFacts, type ReplayTrigger } from "./facts-repository.ts";
import { hasPlace } from "./place-conditions.ts";
import { type Replayed, replay, triggerOf } from "./replay.ts";
import type { RuleDefinition, RuleVerdict } from "./rule.ts";

type ReplayedEvent = z.output<typeof ReplayedEventRecord>;
type Reply = z.output<typeof ruleRoutes.backtestRule.reply>;

/** A rule definition to replay history through; `version` is null for a definition that is not stored. */
export interface Candidate {
  readonly version: number | null;
  readonly definition: RuleDefinition;
}

export interface Backtest {
  readonly ruleId: string;
  readonly events: PastEvents;
  readonly tested: Candidate;
  readonly against: Candidate | undefined;
  /** The time zone whose days are counted. */
  readonly timeZone: string;
  /** Maximum number of events listed. */
  readonly limit: number;
  /** Lists only events that raise an alert. */
  readonly alertsOnly?: boolean | undefined;
  /** Ends the replay with this signal's reason: no one waits for it any longer. */
  readonly signal?: AbortSignal | undefined;
}

/** An event that fails exactly one condition. */
export interface NearMiss {
  readonly eventId: number;
  readonly field: ConditionField;
  readonly failedCondition: string;
}

/** The events that fail exactly one condition of the tested definition. */
export interface NearMisses {
  readonly counts: ReadonlyMap<ConditionField, number>;
  /** The newest, `limit` at most, oldest first. */
  readonly newest: readonly NearMiss[];
}

type Result = Pick<Reply, "events_tested" | "tested" | "events" | "against" | "difference">;

/**
 * Replays history through one or two definitions of a rule, from one snapshot. Memory holds one batch of events, the cooldowns, and for
 * two definitions the ids of the events that raise an alert.
 */
export async function backtest(
  db: Database,
  { ruleId, events, tested, against, timeZone, limit, alertsOnly = false, signal }: Backtest,
): Promise<{ readonly result: Result; readonly nearMisses: NearMisses }> {
  const keepsIds = against !== undefined;
  const first = tally(ruleId, tested, { timeZone, limit, keepsIds, alertsOnly });
  const second = against && tally(ruleId, against, { timeZone, limit: 0, keepsIds, alertsOnly });
  const tallies = second ? [first, second] : [first];
  const batches = db.iterate(async function* (sql) {
    // Two definitions with the same trigger share one pass over the events.
    for (const trigger of ["visit", "stored", "scored"] as const) {
      const those = tallies.filter((one) => one.trigger === trigger);
      const places = those.some((one) => one.places);
      if (those.length > 0) for await (const batch of pastFacts(sql, events, { trigger, places })) yield { those, batch };
    }
  }, signal);
  for await (const { those, batch } of batches) {
    signal?.throwIfAborted();
    for (const one of those) for (const facts of batch) one.take(facts);
  }
  for (const one of tallies) one.end();
  const result = {
    events_tested: first.count(),
    tested: first.result(),
    events: first.events(),
    against: second?.result() ?? null,
    difference: second ? differenceOf(first.alerts, second.alerts, limit) : null,
  };
  return { result, nearMisses: first.nearMisses() };
}

interface Tally {
  readonly trigger: ReplayTrigger;
  /** Whether it needs the places of detections. */
  readonly places: boolean;
  readonly alerts: ReadonlySet<number>;
  take(facts: PastFacts): void;
  /** After the last event. */
  end(): void;
  count(): number;
  events(): ReplayedEvent[];
  result(): z.output<typeof RuleReplay>;
  nearMisses(): NearMisses;
}

function tally(
  ruleId: string,
  { version, definition }: Candidate,
  {
    timeZone,
    limit,
    keepsIds,
    alertsOnly,
  }: { readonly timeZone: string; readonly limit: number; readonly keepsIds: boolean; readonly alertsOnly: boolean },
): Tally {
  const history = replay(ruleId, definition);
  const offset = offsetIn(timeZone);
  const days = new Map<number, { matched: number; alerts: number }>();
  const alerts = new Set<number>();
  const misses = nearMissesOf(limit);
  let newest: ReplayedEvent[] = [];
  let count = 0;
  let matched = 0;
  let raised = 0;

  const addToDay = (at: Date, matches: number, raises: number): void => {
    const instant = at.getTime();
    const dayNumber = Math.floor((instant + offset(instant)) / dayMs);
    const day = days.get(dayNumber) ?? { matched: 0, alerts: 0 };
    days.set(dayNumber, { matched: day.matched + matches, alerts: day.alerts + raises });
  };
  const note = ({ facts, verdict, raisedAt, alert, heldBackAt }: Replayed): void => {
    if (!verdict.matches) {
      misses.take(facts.eventId, verdict);
      return;
    }
    if (heldBackAt === null) matched += 1;
    else {
      // The event appears a second time, with its final result.
      addToDay(heldBackAt, -1, 0);
      const earlier = newest.findLastIndex(({ event_id }) => event_id === facts.eventId);
      if (earlier !== -1) newest.splice(earlier, 1);
    }
    addToDay(raisedAt, 1, alert ? 1 : 0);
    if (alert) {
      raised += 1;
      if (keepsIds) alerts.add(facts.eventId);
    }
    if (limit === 0 || (alertsOnly && !alert)) return;
    newest.push({
      event_id: facts.eventId,
      camera_id: facts.cameraId,
      raised_at: raisedAt,
      alert,
      matched_conditions: [...verdict.matchedConditions],
    });
    if (newest.length >= 2 * limit) newest = newest.slice(-limit);
  };
  return {
    trigger: triggerOf(definition),
    places: hasPlace(definition),
    alerts,
    take: (facts) => {
      count += 1;
      for (const replayed of history.take(facts)) note(replayed);
    },
    end: () => {
      for (const replayed of history.end()) note(replayed);
    },
    count: () => count,
    events: () => newest.slice(-limit),
    nearMisses: misses.result,
    result: () => ({
      version,
      events_matched: matched,
      match_rate: count === 0 ? 0 : matched / count,
      alerts_after_cooldown: raised,
      days: [...days]
        .filter(([, { matched: ofDay }]) => ofDay > 0)
        .toSorted(([one], [other]) => one - other)
        .map(([day, counts]) => ({
          date: new Date(day * dayMs).toISOString().slice(0, 10),
          events_matched: counts.matched,
          alerts: counts.alerts,
        })),
    }),
  };
}

/** Counts the events that fail exactly one condition, and keeps the newest of them. */
function nearMissesOf(limit: number) {
  const counts = new Map<ConditionField, number>();
  let newest: NearMiss[] = [];
  return {
    take(eventId: number, { failedConditions }: RuleVerdict): void {
      const [failedCondition, ...others] = failedConditions;
      const field = failedCondition === undefined || others.length > 0 ? undefined : fieldOfCondition(failedCondition);
      if (failedCondition === undefined || field === undefined) return;
      counts.set(field, (counts.get(field) ?? 0) + 1);
      if (limit === 0) return;
      newest.push({ eventId, field, failedCondition });
      if (newest.length >= 2 * limit) newest = newest.slice(-limit);
    },
    result: (): NearMisses => ({ counts, newest: newest.slice(-limit) }),
  };
}

function differenceOf(tested: ReadonlySet<number>, against: ReadonlySet<number>, limit: number): NonNullable<Reply["difference"]> {
  const onlyIn = (one: ReadonlySet<number>, other: ReadonlySet<number>) => {
    const ids = [...one].filter((id) => !other.has(id));
    return { count: ids.length, event_ids: limit === 0 ? [] : ids.slice(-limit) };
  };
  const onlyTested = onlyIn(tested, against);
  return { only_tested: onlyTested, only_against: onlyIn(against, tested), both: tested.size - onlyTested.count };
}
