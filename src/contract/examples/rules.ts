import type { z } from "zod";
import type { Rule, ruleRoutes } from "../routes/rules.ts";
import { cameraId } from "./cameras.ts";
import { event } from "./events.ts";
import type { ExamplesOf } from "./example.ts";
import { ruleId, ruleName } from "./ids.ts";
import { listOf } from "./page.ts";

const rule = {
  id: ruleId,
  name: ruleName,
  enabled: true,
  kind: "event",
  severity: "high",
  risk_threshold: 70,
  object_types: ["person"],
  camera_ids: null,
  min_confidence: null,
  schedule: { days: ["friday", "saturday", "sunday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
  dedup_key_template: "{camera_id}:{rule_id}",
  cooldown_seconds: 300,
  channels: ["email", "webhook"],
  escalate: false,
  digest: false,
  version: 1,
  created_at: "2026-01-10T10:00:00.000Z",
  updated_at: "2026-01-10T10:00:00.000Z",
} satisfies z.input<typeof Rule>;

export const matchedConditions = ["risk_score >= 70", "object_type in [person]", "within schedule fri-sun 22:00-06:00 Europe/Berlin"];

const days = [{ date: "2026-01-31", events_matched: 1, alerts: 1 }];
const replay = { version: 1, events_matched: 1, match_rate: 0.0169, alerts_after_cooldown: 1, days };
const raisedAt = "2026-01-31T22:16:11.350Z";

export const ruleExamples = {
  listRules: { reply: listOf(rule) },
  createRule: {
    body: {
      name: ruleName,
      severity: "high",
      risk_threshold: 70,
      object_types: ["person"],
      schedule: { days: ["friday", "saturday", "sunday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
      channels: ["email", "webhook"],
    },
    reply: rule,
  },
  getRule: { reply: rule },
  updateRule: {
    body: { cooldown_seconds: 600, digest: true },
    reply: { ...rule, cooldown_seconds: 600, digest: true, version: 2, updated_at: "2026-02-01T08:30:00.000Z" },
  },
  testRule: {
    body: { event_ids: [event.id], at: "2026-02-01T12:00:00Z" },
    reply: {
      rule_id: ruleId,
      rule_name: ruleName,
      events_tested: 1,
      events_matched: 0,
      match_rate: 0,
      alerts_after_cooldown: 0,
      results: [
        {
          event_id: event.id,
          matches: false,
          matched_conditions: matchedConditions.slice(0, 2),
          failed_conditions: ["sun 13:00 not within schedule fri-sun 22:00-06:00 Europe/Berlin"],
        },
      ],
    },
  },
  backtestRule: {
    body: { start_date: "2026-01-01", end_date: "2026-01-31", definition: { risk_threshold: 60 }, against: 1, timezone: "Europe/Berlin" },
    reply: {
      rule_id: ruleId,
      rule_name: ruleName,
      start_date: "2026-01-01T00:00:00.000Z",
      end_date: "2026-01-31T23:59:59.999Z",
      timezone: "Europe/Berlin",
      events_tested: 59,
      tested: { ...replay, version: null },
      events: [
        {
          event_id: event.id,
          camera_id: cameraId,
          raised_at: raisedAt,
          alert: true,
          matched_conditions: ["risk_score >= 60", ...matchedConditions.slice(1)],
        },
      ],
      against: replay,
      difference: { only_tested: { count: 0, event_ids: [] }, only_against: { count: 0, event_ids: [] }, both: 1 },
    },
  },
} satisfies ExamplesOf<typeof ruleRoutes>;
