import { dayMs } from "../../base/clock/clock.ts";
import { draftDays, mostDraftEvents, type ruleDraftRoutes } from "../../contract/routes/rule-drafts.ts";
import { findEvents } from "../../monitoring/events/events-repository.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { backtest } from "../rules/backtest.ts";
import { newDefinition } from "../rules/definition.ts";
import { requireModes } from "../rules/required.ts";
import { faultsOf } from "./faults.ts";

/** A draft has no id yet. It is part of a dedup key only, and all alerts of a draft share it. */
const noRule = "00000000-0000-0000-0000-000000000000";

/** The use case of testing a rule before it is stored. */
export const ruleDraftOperations: Pick<Operations, keyof typeof ruleDraftRoutes> = {
  backtestDefinition: async ({ body }, { db, config, clock, caller }) => {
    const now = clock.now();
    const to = body.end_date ?? now;
    const from = body.start_date ?? new Date(now.getTime() - draftDays * dayMs);
    const definition = newDefinition(body.definition);
    await db.query((sql) => requireModes(sql, definition.modes));
    const { result, nearMisses } = await backtest(db, {
      ruleId: noRule,
      events: { from, to, kinds: [definition.kind], newest: mostDraftEvents, mode: body.mode ?? undefined },
      tested: { version: null, definition },
      against: undefined,
      timeZone: body.timezone,
      limit: body.limit,
      alertsOnly: true,
      signal: caller?.gone,
    });
    const ids = [...result.events.map(({ event_id }) => event_id), ...nearMisses.newest.map(({ eventId }) => eventId)];
    const [events, faults] = await db.query(async (sql) => [await findEvents(sql, ids), await faultsOf(sql, definition, config)] as const);
    const byId = new Map(events.map((event) => [event.id, event]));
    return {
      start_date: from,
      end_date: to,
      timezone: body.timezone,
      events_tested: result.events_tested,
      complete: result.events_tested < mostDraftEvents,
      tested: result.tested,
      // An event that was deleted for good in between is left out
      alerts: result.events.toReversed().flatMap(({ event_id, raised_at, matched_conditions }) => {
        const event = byId.get(event_id);
        return event ? [{ raised_at, matched_conditions, event }] : [];
      }),
      near_misses: {
        count: [...nearMisses.counts.values()].reduce((sum, count) => sum + count, 0),
        fields: [...nearMisses.counts].map(([field, count]) => ({ field, count })).toSorted((one, other) => other.count - one.count),
        events: nearMisses.newest.toReversed().flatMap(({ eventId, field, failedCondition }) => {
          const event = byId.get(eventId);
          return event ? [{ field, failed_condition: failedCondition, event }] : [];
        }),
      },
      faults: [...faults],
    };
  },
};
