import { z } from "zod";
import type { Log } from "../../base/log/log.ts";
import { notFound } from "../../contract/problem.ts";
import type { ruleRoutes } from "../../contract/routes/rules.ts";
import type { Database } from "../../platform/database/database.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { hasPhones } from "../channels/channels-repository.ts";
import { requireChannels } from "../channels/targets.ts";
import { backtest } from "./backtest.ts";
import { deadValues } from "./dead-values.ts";
import { changedDefinition, definitionOf, newDefinition, sameDefinition } from "./definition.ts";
import { requireModes, requireRule, requireRuleId, requireVersion } from "./required.ts";
import type { Rule } from "./rule.ts";
import {
  countRules,
  deleteRule,
  insertRule,
  listRules,
  lockAlertsOf,
  lockRule,
  replaceRule,
  shortenCooldowns,
} from "./rules-repository.ts";
import { tryRule } from "./trial.ts";
import { insertVersion } from "./versions-repository.ts";

/** The use cases of alert rules. */
export const ruleOperations: Pick<Operations, keyof typeof ruleRoutes> = {
  listRules: async ({ query }, { db }) => {
    const filter = { enabled: query.enabled, severity: query.severity };
    return await readPage(db, query, {
      name: "alerts/rules",
      key: timeKey(z.uuid()),
      rows: (sql, slice) => listRules(sql, { filter, ...slice }),
      count: (sql) => countRules(sql, filter),
    });
  },

  createRule: async ({ body }, { db, clock, log }) => {
    const now = clock.now();
    const given = newDefinition(body);
    const stored = await db.transaction(async (sql) => {
      await requireModes(sql, given.modes);
      const definition = { ...given, channels: await requireChannels(sql, given.channels) };
      const rule = await insertRule(sql, definition, now);
      await insertVersion(sql, rule.id, rule.version, definition, now);
      return rule;
    });
    await warnOfDeadValues(db, log, stored);
    return stored;
  },

  getRule: async ({ params }, { db }) => await db.query((sql) => requireRule(sql, params.id)),

  updateRule: async ({ params, body }, { db, clock, log }) => {
    const id = requireRuleId(params.id);
    const now = clock.now();
    const stored = await db.transaction(async (sql) => {
      const rule = await lockRule(sql, id);
      if (!rule) throw notFound("Rule", params.id);
      const before = definitionOf(rule);
      const channels = body.channels === undefined ? undefined : await requireChannels(sql, body.channels);
      const definition = changedDefinition(before, { ...body, channels });
      if (sameDefinition(before, definition)) return rule;
      if (body.modes) await requireModes(sql, definition.modes);
      const changed = await replaceRule(sql, id, definition, now);
      await insertVersion(sql, id, changed.version, definition, now);
      // A shorter cooldown also applies to the alert that is suppressing others now.
      if (definition.cooldown_seconds < before.cooldown_seconds) await shortenCooldowns(sql, id, definition.cooldown_seconds);
      return changed;
    });
    await warnOfDeadValues(db, log, stored);
    return stored;
  },

  deleteRule: async ({ params }, { db }) => {
    const id = requireRuleId(params.id);
    await db.transaction(async (sql) => {
      if (!(await lockRule(sql, id, "delete"))) throw notFound("Rule", params.id);
      // Alerts that this rule suppressed under a shared key are now up to the other rules.
      await shortenCooldowns(sql, id, 0);
      await lockAlertsOf(sql, id);
      await deleteRule(sql, id);
    });
    return undefined;
  },

  testRule: async ({ params, body }, { db }) => {
    const rule = await db.query((sql) => requireRule(sql, params.id));
    const ids = body.event_ids ?? undefined;
    const range = { from: body.start_date ?? undefined, to: body.end_date ?? undefined };
    return await tryRule(
      db,
      rule,
      { ...range, ids, kinds: ids ? undefined : [rule.kind], newest: ids ? undefined : body.limit, mode: body.mode ?? undefined },
      body.at ?? undefined,
    );
  },

  backtestRule: async ({ params, body }, { db, clock, caller }) => {
    const from = body.start_date ?? undefined;
    const to = body.end_date ?? clock.now();
    const { rule, tested, against } = await db.query(async (sql) => {
      const rule = await requireRule(sql, params.id);
      const version = body.version ?? rule.version;
      const before = await requireVersion(sql, rule, version);
      const definition = changedDefinition(before, body.definition ?? {});
      return {
        rule,
        tested: { version: sameDefinition(before, definition) ? version : null, definition },
        against: body.against ? { version: body.against, definition: await requireVersion(sql, rule, body.against) } : undefined,
      };
    });
    const { result } = await backtest(db, {
      ruleId: rule.id,
      events: { from, to, kinds: [tested.definition.kind, ...(against ? [against.definition.kind] : [])], mode: body.mode ?? undefined },
      tested,
      against,
      timeZone: body.timezone,
      limit: body.limit,
      signal: caller?.gone,
    });
    return { rule_id: rule.id, rule_name: rule.name, start_date: from ?? null, end_date: to, timezone: body.timezone, ...result };
  },
};

/** The interface accepts these values, so a warning has to do. */
async function warnOfDeadValues(db: Database, log: Log, rule: Rule): Promise<void> {
  const phones = rule.channels?.includes("push") ? await db.query(hasPhones) : false;
  for (const reason of deadValues(rule, { hasPhones: phones }))
    log.warn({ rule: rule.id, rule_name: rule.name, reason }, "a rule has a value that never has an effect");
}
