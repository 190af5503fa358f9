// Over 400 lines: every field of a rule, for replies and for requests, and the routes with their examples.
import { z } from "zod";
import { weekdays } from "../../base/clock/calendar.ts";
import { allRecipients, channels, eventKinds, ranges, severities } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import {
  BoolText,
  CameraIdText,
  DisplayName,
  EndInstant,
  EnumText,
  Instant,
  NumberBetween,
  readOnly,
  StartInstant,
  StorableInstant,
  TimeZoneText,
} from "../values.ts";
import { EventId } from "./events.ts";
import { ZoneName } from "./zones.ts";

const route = routesOf("alerts");

/** When a rule is active, in its own time zone. A window over midnight belongs to the day when it starts. */
export const Schedule = z
  .object({
    days: z.array(z.enum(weekdays)).meta({ description: "Weekdays; empty for every day" }),
    start_time: z.string().nullable().meta({ description: "Start, HH:MM, inclusive; null together with `end_time` for all day" }),
    end_time: z.string().nullable().meta({ description: "End, HH:MM, exclusive; equal to `start_time` for 24 hours" }),
    timezone: z.string().meta({ description: "Name of a time zone, such as Europe/Berlin" }),
  })
  .meta({
    id: "Schedule",
    description: "Schedule of a rule; a window over midnight belongs to the day when it starts",
    example: { days: ["friday", "saturday", "sunday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
  });

const RuleId = z.uuid().meta({ description: "Id of the rule", example: "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" });

const Escalate = z.boolean().meta({
  description:
    "Let events with a higher risk level bypass the cooldown. This rule also bypasses it if a less severe rule alerted for the same event",
});

const Immediate = z.boolean().meta({
  description: "Evaluate during a visit and alert as soon as a detection meets the conditions; excludes `risk_threshold`",
});

/** The name of a mode. */
export const ModeName = z
  .string()
  .regex(/^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,31}$/u, "Must be 1 to 32 lowercase letters, digits, - or _, and start with a letter");

const modesText = "Modes of the home in which the rule alerts; null for every mode except `off`";

const scheduleText = "Schedule; an event lies within it when it began, ended or was stored then. Null for always";

/** An alert rule as clients receive it. */
export const Rule = z
  .object({
    id: RuleId,
    name: z.string().meta({ description: "Display name", example: "People at night" }),
    enabled: z.boolean().meta({ description: "Whether the rule is active", example: true }),
    kind: z.enum(eventKinds).meta({ description: "Kind of event that the rule matches" }),
    severity: z.enum(severities).meta({ description: "Severity of its alerts", example: "high" }),
    risk_threshold: z.int().nullable().meta({ description: "Minimum risk score, 0 to 100; null for any score and for events without one" }),
    object_types: z.array(z.string()).nullable().meta({ description: "At least one of these classes must be detected; null for any" }),
    camera_ids: z.array(z.string()).nullable().meta({ description: "Cameras that the rule applies to; null for all" }),
    zones: z
      .array(z.string())
      .nullable()
      .meta({ description: "A detection must be in one of these zones of its camera; null for anywhere" }),
    not_zones: z.array(z.string()).nullable().meta({ description: "Detections in these zones do not count; null for none" }),
    min_size: z.number().nullable().meta({ description: "Minimum height of a detection, as a share of the picture's; null for any" }),
    min_confidence: z.number().nullable().meta({ description: "Minimum confidence, 0 to 1; null for any" }),
    schedule: Schedule.nullable().meta({ description: scheduleText }),
    modes: z.array(z.string()).nullable().meta({ description: modesText }),
    dedup_key_template: z.string().meta({ description: "Template of the cooldown key; without {rule_id} rules share their cooldown" }),
    cooldown_seconds: z.int().meta({ description: "Cooldown between alerts with the same key, in seconds", example: 300 }),
    channels: z.array(z.string()).nullable().meta({
      description:
        "`email`, `webhook`, `push` for every channel to phones, `all` for every recipient, or names of channels and recipients; null or empty: only live clients and webhooks get its alerts",
    }),
    escalate: Escalate,
    digest: z.boolean().meta({ description: "Send one summary of the suppressed alerts when the cooldown ends" }),
    immediate: Immediate,
    version: z.int().meta({ description: "Version of the definition, from 1", example: 1 }),
    created_at: Instant.meta({ description: "Time of creation" }),
    updated_at: Instant.meta({ description: "Time of the last change" }),
  })
  .meta({
    id: "Rule",
    description: "An alert rule: an event that meets every set condition raises an alert",
    example: {
      risk_threshold: 70,
      object_types: ["person"],
      dedup_key_template: "{camera_id}:{rule_id}",
      channels: ["email", "webhook"],
    },
  });

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time of day from 00:00 to 23:59, written HH:MM");

export const ScheduleInput = z
  .strictObject({
    days: z.array(EnumText(weekdays)).max(7).nullable().default([]).meta({ description: "Weekdays; empty for every day" }),
    start_time: TimeOfDay.nullable()
      .default(null)
      .meta({ description: "Start, HH:MM, inclusive; null together with `end_time` for all day" }),
    end_time: TimeOfDay.nullable().default(null).meta({ description: "End, HH:MM, exclusive; equal to `start_time` for 24 hours" }),
    timezone: TimeZoneText.default("UTC").meta({ description: "Name of a time zone, such as Europe/Berlin" }),
  })
  .refine(({ start_time, end_time }) => (start_time === null) === (end_time === null), {
    error: "Give start_time and end_time together, or neither for the whole day",
    path: ["end_time"],
  });

/** The placeholders allowed in a template of deduplication keys, each in braces. */
export const dedupKeyNames = ["camera_id", "rule_id", "object_type", "severity"] as const;

/** Returns what is wrong with a template as a sentence, or undefined when it is valid. */
export function dedupTemplateFault(template: string): string | undefined {
  const allowed = dedupKeyNames.map((name) => `{${name}}`).join(", ");
  for (const [text, name] of template.matchAll(/\{([^{}]*)\}|[{}]/g)) {
    if (name === undefined) return `Contains an unmatched brace; braces are only for ${allowed}`;
    if (!(dedupKeyNames as readonly string[]).includes(name)) return `Contains the unknown name ${text}; the names are ${allowed}`;
  }
  return undefined;
}

const DedupKeyTemplate = z
  .string()
  .min(1)
  .max(255)
  .superRefine((template, context) => {
    const fault = dedupTemplateFault(template);
    if (fault) context.addIssue({ code: "custom", message: fault });
  })
  .meta({
    description: `May use ${dedupKeyNames.map((name) => `{${name}}`).join(", ")}; without {rule_id} rules share their cooldown`,
  });

/** A neutral name in any case, or the name of a channel to phones or a recipient. */
const ChannelWord = z.codec(z.string(), z.string().min(1).max(100), {
  decode: (text) => [...channels, allRecipients].find((word) => word === text.toLowerCase()) ?? text,
  encode: (word) => word,
});
const Channels = z
  .array(ChannelWord)
  .max(50)
  .refine((list) => new Set(list).size === list.length, "Must not name a channel twice");

const ZoneNames = z.array(ZoneName).max(100);

/** The fields of a rule that a user can set: null clears a condition. */
const fields = {
  name: DisplayName(255).meta({ description: "Display name" }),
  enabled: z.boolean().meta({ description: "Whether the rule is active (default true)" }),
  kind: EnumText(eventKinds).meta({
    description: "Kind of event (default `event`); `camera_health` excludes the other conditions on detections and score",
  }),
  severity: EnumText(severities).meta({ description: "Severity of its alerts (default `medium`)" }),
  risk_threshold: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .meta({ description: "Minimum risk score, 0 to 100; null for any score and for events without one" }),
  object_types: z
    .array(z.string().min(1).max(100))
    .max(100)
    .nullable()
    .meta({ description: "At least one of these classes must be detected; empty for any" }),
  camera_ids: z
    .array(z.string().min(1).max(64))
    .max(1000)
    .nullable()
    .meta({ description: "Cameras that the rule applies to; empty for all" }),
  zones: ZoneNames.nullable().meta({ description: "A detection must be in one of these zones of its camera; empty for anywhere" }),
  not_zones: ZoneNames.nullable().meta({ description: "Detections in these zones do not count; empty for none" }),
  min_size: NumberBetween(...ranges.confidence)
    .nullable()
    .meta({ description: "Minimum height of a detection, as a share of the picture's; null for any" }),
  min_confidence: NumberBetween(...ranges.confidence)
    .nullable()
    .meta({ description: "Minimum confidence; null for any" }),
  schedule: ScheduleInput.nullable().meta({ description: scheduleText }),
  modes: z
    .array(ModeName)
    .max(50)
    .nullable()
    .meta({ description: `${modesText.replace("null", "null or empty")}` }),
  dedup_key_template: DedupKeyTemplate,
  cooldown_seconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .meta({ description: "Cooldown between alerts with the same key, in seconds (default 300)" }),
  channels: Channels.nullable().meta({
    description:
      "`email`, `webhook`, `push` for every channel to phones, `all` for every recipient, or names of channels and recipients; null or empty: only live clients and webhooks get its alerts",
  }),
  escalate: Escalate,
  digest: z.boolean().meta({ description: "Send one summary of the suppressed alerts when the cooldown ends" }),
  immediate: Immediate,
};

/** The writable fields of a rule. An omitted field gets its default in a new rule and keeps its value in an existing one. */
const changes = z.strictObject(fields).partial();

/** The definition of a new rule. */
export const NewRule = changes.required({ name: true });
const changeable = Object.keys(fields) as (keyof typeof fields)[];

/** The stored definition of one version of a rule. */
export const RuleDefinition = Rule.omit({ id: true, version: true, created_at: true, updated_at: true }).extend({
  // Versions that were stored by older releases lack them
  zones: Rule.shape.zones.default(null),
  not_zones: Rule.shape.not_zones.default(null),
  min_size: Rule.shape.min_size.default(null),
  immediate: Rule.shape.immediate.default(false),
});

const Matched = z.int().meta({ description: "Number of matching events", example: 1 });
const MatchRate = z.number().meta({ description: "Share of matching events, 0 to 1", example: 0.0169 });
const AlertCount = z.int().meta({ description: "Alerts that would have been raised", example: 1 });
/** The fulfilled conditions of a rule in the order of its fields. */
export const Conditions = z
  .array(z.string())
  .meta({ description: "Fulfilled conditions, such as `risk_score >= 70`", example: ["risk_score >= 70"] });
const RuleName = z.string().meta({ description: "Name of the rule", example: "People at night" });
export const Tested = z.int().meta({ description: "Tested events", example: 59 });

/** The result of replaying a definition on stored events. */
export const RuleReplay = z
  .object({
    version: z.int().nullable().meta({ description: "Version of the rule; null for a definition that is not stored" }),
    events_matched: Matched,
    match_rate: MatchRate,
    alerts_after_cooldown: AlertCount,
    days: z
      .array(z.object({ date: z.string().meta({ description: "YYYY-MM-DD" }), events_matched: Matched, alerts: AlertCount }))
      .meta({ description: "Days with matching events, by the time of their alerts" }),
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
    raised_at: Instant.meta({ description: "Time the alert would have been raised" }),
    alert: z.boolean().meta({ description: "False when the cooldown suppresses the alert", example: true }),
    matched_conditions: Conditions,
  })
  .meta({
    id: "ReplayedEvent",
    description: "A matching event, and whether it raises an alert",
    example: { matched_conditions: ["risk_score >= 60", "object_type in [person]", "within schedule fri-sun 22:00-06:00 Europe/Berlin"] },
  });

const DifferingEvents = z.object({
  count: z.int().meta({ description: "Number of events" }),
  event_ids: z.array(z.int()).meta({ description: "Ids of the newest events, `limit` at most" }),
});

/** The mode that a test assumes for all events. */
export const AssumedMode = ModeName.nullable()
  .optional()
  .meta({ description: "Test as if the home had been in this mode all the time (default: the mode in which each event began)" });

const params = z.object({ id: z.string().meta({ description: "Id of the rule, a UUID" }) });
const refusals = { 404: "No rule has this id" };
const common = { params, refusals } as const;

export const ruleRoutes = {
  listRules: route.get("/api/alerts/rules", "List alert rules, newest first", {
    query: z.object({
      enabled: BoolText.optional().meta({ description: "Only enabled, or only disabled rules" }),
      severity: EnumText(severities).optional().meta({ description: "Only of this severity" }),
      ...pageQuery,
    }),
    reply: listOf(Rule),
  }),
  createRule: route.post("/api/alerts/rules", "Create an alert rule", {
    body: NewRule,
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
  getRule: route.get("/api/alerts/rules/{id}", "Get an alert rule", { ...common, reply: Rule }),
  updateRule: route.put("/api/alerts/rules/{id}", "Update an alert rule; omitted fields keep their values", {
    ...common,
    body: z.strictObject({ ...changes.shape, ...readOnly(Rule, changeable) }),
    reply: Rule,
    example: { body: { cooldown_seconds: 600, digest: true }, reply: { cooldown_seconds: 600, digest: true, version: 2 } },
  }),
  deleteRule: route.delete("/api/alerts/rules/{id}", "Delete an alert rule and keep its alerts", { ...common, status: 204 }),
  testRule: route.post("/api/alerts/rules/{id}/test", "Test a rule against stored events; raises no alerts and ignores silences", {
    ...common,
    body: z
      .strictObject({
        event_ids: z.array(z.int()).max(1000).nullable().optional().meta({ description: "Only these events; unknown ids are ignored" }),
        limit: z.int().min(1).max(1000).default(100).meta({ description: "Number of newest events to test, without `event_ids`" }),
        start_date: StartInstant.nullable().optional().meta({ description: "Only events at this time or later" }),
        end_date: EndInstant.nullable().optional().meta({ description: "Only events at this time or before" }),
        mode: AssumedMode,
        at: StorableInstant.nullable()
          .optional()
          .meta({ description: "Test the schedule at this time instead of the times of each event" }),
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
            matches: z.boolean().meta({ description: "Whether the event meets all conditions" }),
            matched_conditions: Conditions,
            failed_conditions: z.array(z.string()).meta({ description: "Unfulfilled conditions, such as `risk_score 42 < 70`" }),
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
  backtestRule: route.post(
    "/api/alerts/rules/{id}/backtest",
    "Backtest a rule, a version of it or a changed definition; raises no alerts and ignores silences",
    {
      ...common,
      body: z
        .strictObject({
          start_date: StartInstant.nullable().optional().meta({ description: "Start (default: the oldest event)" }),
          end_date: EndInstant.nullable().optional().meta({ description: "End (default: now)" }),
          version: z.int().min(1).nullable().optional().meta({ description: "Version of the rule (default: the current one)" }),
          definition: changes.nullable().optional().meta({ description: "Unstored changes to that version, as in an update" }),
          against: z.int().min(1).nullable().optional().meta({ description: "Version to compare with" }),
          mode: AssumedMode,
          timezone: TimeZoneText.default("UTC").meta({ description: "Time zone of the days" }),
          limit: z.int().min(0).max(1000).default(100).meta({ description: "Maximum number of listed events" }),
        })
        .prefault({}),
      reply: z.object({
        rule_id: RuleId,
        rule_name: RuleName,
        start_date: Instant.nullable().meta({
          description: "Requested start; null for the oldest event",
          example: "2026-01-01T00:00:00.000Z",
        }),
        end_date: Instant.meta({ description: "Requested end, or now" }),
        timezone: z.string().meta({ description: "As requested", example: "Europe/Berlin" }),
        events_tested: Tested,
        tested: RuleReplay,
        events: z.array(ReplayedEvent).meta({ description: "Newest matching events, `limit` at most, oldest first" }),
        against: RuleReplay.nullable().meta({ description: "Result for the version to compare with; null without one" }),
        difference: z
          .object({
            only_tested: DifferingEvents.meta({ description: "Events that raise an alert only with the tested definition" }),
            only_against: DifferingEvents.meta({ description: "Events that raise an alert only with the version to compare with" }),
            both: z.int().meta({ description: "Number of events that raise an alert with both" }),
          })
          .nullable()
          .meta({ description: "Differences; null without a version to compare with" }),
      }),
      refusals: { 404: "No rule has this id, or the version does not exist" },
      slow: true,
      example: {
        body: {
          start_date: "2026-01-01",
          end_date: "2026-01-31",
          definition: { risk_threshold: 60 },
          against: 1,
          timezone: "Europe/Berlin",
        },
        reply: { difference: { only_tested: { count: 0, event_ids: [] }, only_against: { count: 0, event_ids: [] }, both: 1 } },
      },
    },
  ),
};
