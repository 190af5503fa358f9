import { initialMode } from "../../../src/alerting/modes/mode.ts";
import type { Rule, RuleDefinition, RuleFacts, Schedule } from "../../../src/alerting/rules/rule.ts";

/** A user's rule definition without conditions, except the given fields. */
export function definitionWith(fields: Partial<RuleDefinition>): RuleDefinition {
  return {
    name: "A rule",
    enabled: true,
    kind: "event",
    severity: "high",
    risk_threshold: null,
    object_types: null,
    camera_ids: null,
    zones: null,
    not_zones: null,
    min_size: null,
    min_confidence: null,
    schedule: null,
    modes: null,
    dedup_key_template: "{camera_id}:{rule_id}",
    cooldown_seconds: 300,
    channels: null,
    escalate: false,
    digest: false,
    immediate: false,
    ...fields,
  };
}

/** A rule without conditions, except the given fields. */
export function ruleWith(fields: Partial<Rule> = {}): Rule {
  return {
    ...definitionWith({ name: "Somebody" }),
    id: "11111111-1111-4111-8111-111111111111",
    version: 1,
    created_at: new Date("2026-01-01T00:00:00Z"),
    updated_at: new Date("2026-01-01T00:00:00Z"),
    ...fields,
  };
}

/** An event with a person, stored on a Sunday at noon, with the given changes. */
export function factsWith(fields: Partial<RuleFacts> = {}): RuleFacts {
  return {
    eventId: 1,
    kind: "event",
    cameraId: "front_door",
    riskScore: null,
    startedAt: new Date("2026-03-01T11:58:00Z"),
    endedAt: new Date("2026-03-01T11:59:00Z"),
    storedAt: new Date("2026-03-01T12:00:00Z"),
    mode: initialMode,
    objects: [{ objectType: "person", confidence: 0.9 }],
    ...fields,
  };
}

/** An unlimited schedule in UTC, with the given changes. */
export function scheduleWith(fields: Partial<Schedule> = {}): Schedule {
  return { days: [], start_time: null, end_time: null, timezone: "UTC", ...fields };
}
