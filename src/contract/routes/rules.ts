import { z } from "zod";
import { weekdays } from "../../base/clock/weekdays.ts";
import { channels, eventKinds, ranges, severities } from "../constants.ts";
import { dedupKeyNames, dedupTemplateFault } from "../dedup-template.ts";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { BoolText, CameraIdText, EndInstant, EnumText, Instant, readOnly, StartInstant, StorableInstant, TimeZoneText } from "../values.ts";
import { EventId } from "./events.ts";

/** When a rule is active, in its own time zone. A window over midnight belongs to the day when it starts. */
export const Schedule = z
  .object({
    days: z.array(z.enum(weekdays)).meta({ description: "Empty: every day" }),
    start_time: z.string().nullable().meta({ description: "HH:MM, inclusive; null with `end_time` null: all day" }),
    end_time: z.string().nullable().meta({ description: "HH:MM, exclusive; the same as `start_time`: 24 hours" }),
    timezone: z.string().meta({ description: "Name of a time zone, such as Europe/Berlin" }),
  })
  .meta({
    id: "Schedule",
    description: "When a rule holds; a window over midnight belongs to the day on which it starts",
    example: { days: ["friday", "saturday", "sunday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
  });

const RuleId = z.uuid().meta({ description: "Id of the rule", example: "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" });

const Escalate = z.boolean().meta({
  description:
    "An event in a higher risk band than the alerted one passes the cooldown, and so does this rule where another, less severe one alerted for the same event",
});

/** An alert rule as clients receive it. */
export const Rule = z
  .object({
    id: RuleId,
    name: z.string().meta({ description: "Display name", example: "People at night" }),
    enabled: z.boolean().meta({ description: "Whether the rule is active", example: true }),
    kind: z.enum(eventKinds).meta({ description: "The kind of event that the rule is for" }),
    severity: z.enum(severities).meta({ description: "Severity of its alerts", example: "high" }),
    risk_threshold: z.int().nullable().meta({ description: "The score that an event must have at least, 0 to 100; null: any, even none" }),
    object_types: z.array(z.string()).nullable().meta({ description: "Classes of which one must have been detected; null: any" }),
    camera_ids: z.array(z.string()).nullable().meta({ description: "Cameras for which it holds; null: all" }),
    min_confidence: z.number().nullable().meta({ description: "Minimum confidence, 0 to 1; null for any" }),
    schedule: Schedule.nullable().meta({ description: "When it holds, by the time at which the event was stored; null: always" }),
    dedup_key_template: z
      .string()
      .meta({ description: "What makes the key under which its alerts hold back others; without {rule_id} those of other rules too" }),
    cooldown_seconds: z.int().meta({ description: "Cooldown between alerts with the same key, in seconds", example: 300 }),
    channels: z.array(z.enum(channels)).nullable().meta({ description: "Channels; null or empty for live clients only" }),
    escalate: Escalate,
    digest: z.boolean().meta({ description: "Send one summary of the suppressed alerts when the cooldown ends" }),
    version: z.int().meta({ description: "Counts the definitions that the rule has had", example: 1 }),
    created_at: Instant.meta({ description: "When it was created" }),
    updated_at: Instant.meta({ description: "When it was last changed" }),
  })
  .meta({
    id: "Rule",
    description: "Conditions under which an event raises an alert; all that are set must hold",
    example: {
      risk_threshold: 70,
      object_types: ["person"],
      dedup_key_template: "{camera_id}:{rule_id}",
      channels: ["email", "webhook"],
    },
  });

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time of day from 00:00 to 23:59, written HH:MM");

const ScheduleInput = z
  .strictObject({
    days: z.array(EnumText(weekdays)).max(7).nullable().default([]).meta({ description: "Empty: every day" }),
    start_time: TimeOfDay.nullable().default(null).meta({ description: "HH:MM, inclusive; null with `end_time` null: all day" }),
    end_time: TimeOfDay.nullable().default(null).meta({ description: "HH:MM, exclusive; the same as `start_time`: 24 hours" }),
    timezone: TimeZoneText.default("UTC").meta({ description: "Name of a time zone, such as Europe/Berlin" }),
  })
  .refine(({ start_time, end_time }) => (start_time === null) === (end_time === null), {
    error: "Give start_time and end_time together, or neither for the whole day",
    path: ["end_time"],
  });

const DedupKeyTemplate = z
  .string()
  .min(1)
  .max(255)
  .superRefine((template, context) => {
    const fault = dedupTemplateFault(template);
    if (fault) context.addIssue({ code: "custom", message: fault });
  })
  .meta({
    description: `May use ${dedupKeyNames.map((name) => `{${name}}`).join(", ")}; without {rule_id} different rules hold back each other`,
  });

const Channels = z.array(EnumText(channels)).refine((list) => new Set(list).size === list.length, "Must not name a channel twice");

/** The fields of a rule that a user can set: null clears a condition. */
const fields = {
  name: z.string().min(1).max(255).meta({ description: "Display name" }),
  enabled: z.boolean().meta({ description: "Default true" }),
  kind: EnumText(eventKinds).meta({
    description: "Default `event`. A rule of kind `camera_health` has no risk_threshold, object_types or min_confidence",
  }),
  severity: EnumText(severities).meta({ description: "Severity of its alerts (default `medium`)" }),
  risk_threshold: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .meta({ description: "The score that an event must have at least; null: any, even none" }),
  object_types: z.array(z.string().min(1).max(100)).max(100).nullable().meta({ description: "Empty for any" }),
  camera_ids: z.array(z.string().min(1).max(64)).max(1000).nullable().meta({ description: "Empty: all cameras" }),
  min_confidence: z
    .number()
    .min(ranges.confidence[0])
    .max(ranges.confidence[1])
    .nullable()
    .meta({ description: "Minimum confidence; null for any" }),
  schedule: ScheduleInput.nullable().meta({ description: "When it holds, by the time at which the event was stored; null: always" }),
  dedup_key_template: DedupKeyTemplate,
  cooldown_seconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .meta({ description: "Cooldown between alerts with the same key, in seconds (default 300)" }),
  channels: Channels.nullable().meta({ description: "Channels; null or empty for live clients only" }),
  escalate: Escalate,
  digest: z.boolean().meta({ description: "Send one summary of the suppressed alerts when the cooldown ends" }),
};

/** The writable fields of a rule. An omitted field gets its default in a new rule and keeps its value in an existing one. */
const changes = z.strictObject(fields).partial();
const changeable = Object.keys(fields) as (keyof typeof fields)[];

/** The stored definition of one version of a rule. */
export const RuleDefinition = Rule.omit({ id: true, version: true, created_at: true, updated_at: true });

const Matched = z.int().meta({ description: "Events that match", example: 1 });
const MatchRate = z.number().meta({ description: "Share of the tested events that match, 0 to 1", example: 0.0169 });
const AlertCount = z.int().meta({ description: "Alerts that would have been raised", example: 1 });
const Conditions = z
  .array(z.string())
  .meta({ description: "Conditions that hold, such as `risk_score >= 70`", example: ["risk_score >= 70"] });
const RuleName = z.string().meta({ description: "Name of the rule", example: "People at night" });
const Tested = z.int().meta({ description: "Tested events", example: 59 });

/** The result of replaying a definition on stored events. */
export const RuleReplay = z
  .object({
    version: z.int().nullable().meta({ description: "Null: not stored, or not stored like this" }),
    events_matched: Matched,
    match_rate: MatchRate,
    alerts_after_cooldown: AlertCount,
    days: z
      .array(z.object({ date: z.string().meta({ description: "YYYY-MM-DD" }), events_matched: Matched, alerts: AlertCount }))
      .meta({ description: "Days on which an event matched, by the time at which its alert would have been raised" }),
  })
  .meta({
    id: "RuleReplay",
    description: "Result of replaying a rule on stored events",
    example: {
      version: 1,
      events_matched: 1,
      match_rate: 0.0169,
      alerts_after_cooldown: 1,
      days: [{ date: "2026-01-31", events_matched: 1, alerts: 1 }],
    },
  });

/** A matching event, and whether it raises an alert or the cooldown suppresses it. */
export const ReplayedEvent = z
  .object({
    event_id: EventId,
    camera_id: CameraIdText,
    raised_at: Instant.meta({ description: "When the alert would have been raised" }),
    alert: z.boolean().meta({ description: "False: held back by the cooldown", example: true }),
    matched_conditions: Conditions,
  })
  .meta({
    id: "ReplayedEvent",
    description: "An event that matches, and whether an alert comes of it",
    example: { matched_conditions: ["risk_score >= 60", "object_type in [person]", "within schedule fri-sun 22:00-06:00 Europe/Berlin"] },
  });

const DifferingEvents = z.object({
  count: z.int().meta({ description: "How many" }),
  event_ids: z.array(z.int()).meta({ description: "The newest ones, `limit` at most" }),
});

const params = z.object({ id: z.string().meta({ description: "Id of the rule, a UUID" }) });
const refusals = { 404: "No rule has this id" };
const common = { tag: "alerts", params, refusals } as const;

export const ruleRoutes = {
  listRules: route("/api/alerts/rules", {
    method: "get",
    summary: "List the alert rules, newest first",
    tag: "alerts",
    query: z.object({
      enabled: BoolText.optional().meta({ description: "Only those that are enabled, or are not" }),
      severity: EnumText(severities).optional().meta({ description: "Only of this severity" }),
      ...pageQuery,
    }),
    reply: listOf(Rule),
  }),
  createRule: route("/api/alerts/rules", {
    method: "post",
    summary: "Create an alert rule",
    tag: "alerts",
    body: changes.required({ name: true }),
    status: 201,
    reply: Rule,
    example: {
      body: {
        name: "People at night",
        severity: "high",
        risk_threshold: 70,
        object_types: ["person"],
        schedule: { days: ["friday", "saturday", "sunday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
        channels: ["email", "webhook"],
      },
    },
  }),
  getRule: route("/api/alerts/rules/{id}", { ...common, method: "get", summary: "One alert rule", reply: Rule }),
  updateRule: route("/api/alerts/rules/{id}", {
    ...common,
    method: "put",
    summary: "Change an alert rule; what is left out stays",
    body: z.strictObject({ ...changes.shape, ...readOnly(Rule, changeable) }),
    reply: Rule,
    example: { body: { cooldown_seconds: 600, digest: true }, reply: { cooldown_seconds: 600, digest: true, version: 2 } },
  }),
  deleteRule: route("/api/alerts/rules/{id}", {
    ...common,
    method: "delete",
    summary: "Delete an alert rule; its alerts stay",
    status: 204,
  }),
  testRule: route("/api/alerts/rules/{id}/test", {
    ...common,
    method: "post",
    summary: "Test a rule against stored events; raises no alerts and ignores silences",
    body: z
      .strictObject({
        event_ids: z
          .array(z.int())
          .max(1000)
          .nullable()
          .optional()
          .meta({ description: "Only these; those that do not exist are left out" }),
        limit: z.int().min(1).max(1000).default(100).meta({ description: "The newest so many, where no ids are given" }),
        start_date: StartInstant.nullable().optional().meta({ description: "Only events of this time or later" }),
        end_date: EndInstant.nullable().optional().meta({ description: "Only events of this time or before" }),
        at: StorableInstant.nullable().optional().meta({ description: "Judge the schedule by this time, not by that of each event" }),
      })
      .prefault({}),
    reply: z.object({
      rule_id: RuleId,
      rule_name: RuleName,
      events_tested: Tested,
      events_matched: Matched,
      match_rate: MatchRate,
      alerts_after_cooldown: AlertCount,
      results: z
        .array(
          z.object({
            event_id: EventId,
            matches: z.boolean().meta({ description: "Whether all conditions hold" }),
            matched_conditions: Conditions,
            failed_conditions: z.array(z.string()).meta({ description: "Conditions that do not hold, such as `risk_score 42 < 70`" }),
          }),
        )
        .meta({ description: "Result per event, newest first" }),
    }),
    example: {
      body: { event_ids: [1207], at: "2026-02-01T12:00:00Z" },
      reply: {
        events_tested: 1,
        events_matched: 0,
        match_rate: 0,
        alerts_after_cooldown: 0,
        results: [
          {
            event_id: 1207,
            matches: false,
            matched_conditions: ["risk_score >= 70", "object_type in [person]"],
            failed_conditions: ["sun 13:00 not within schedule fri-sun 22:00-06:00 Europe/Berlin"],
          },
        ],
      },
    },
  }),
  backtestRule: route("/api/alerts/rules/{id}/backtest", {
    ...common,
    method: "post",
    summary: "Backtest a rule, a version of it or a changed definition; raises no alerts and ignores silences",
    body: z
      .strictObject({
        start_date: StartInstant.nullable().optional().meta({ description: "Default: the beginning" }),
        end_date: EndInstant.nullable().optional().meta({ description: "Default: now" }),
        version: z.int().min(1).nullable().optional().meta({ description: "Default: the present one" }),
        definition: changes.nullable().optional().meta({ description: "Changes to that version, as in an update, that are not stored" }),
        against: z.int().min(1).nullable().optional().meta({ description: "A version to compare with" }),
        timezone: TimeZoneText.default("UTC").meta({ description: "Whose days are counted" }),
        limit: z.int().min(0).max(1000).default(100).meta({ description: "Events listed at most" }),
      })
      .prefault({}),
    reply: z.object({
      rule_id: RuleId,
      rule_name: RuleName,
      start_date: Instant.nullable().meta({ description: "As asked; null: the beginning", example: "2026-01-01T00:00:00.000Z" }),
      end_date: Instant.meta({ description: "As asked, or now" }),
      timezone: z.string().meta({ description: "As requested", example: "Europe/Berlin" }),
      events_tested: Tested,
      tested: RuleReplay,
      events: z.array(ReplayedEvent).meta({ description: "The newest events that match, `limit` at most, oldest first" }),
      against: RuleReplay.nullable().meta({ description: "The same for the version to compare with; null without one" }),
      difference: z
        .object({
          only_tested: DifferingEvents.meta({ description: "Events that alert by the tested definition only" }),
          only_against: DifferingEvents.meta({ description: "Events that alert by the version to compare with only" }),
          both: z.int().meta({ description: "Events that alert by either" }),
        })
        .nullable()
        .meta({ description: "Where the two differ; null without a version to compare with" }),
    }),
    refusals: { 404: "No rule has this id, or it has no such version" },
    slow: true,
    example: {
      body: { start_date: "2026-01-01", end_date: "2026-01-31", definition: { risk_threshold: 60 }, against: 1, timezone: "Europe/Berlin" },
      reply: { difference: { only_tested: { count: 0, event_ids: [] }, only_against: { count: 0, event_ids: [] }, both: 1 } },
    },
  }),
};
