import { z } from "zod";
import { dedupKeyNames, dedupTemplateFault } from "../dedup-template.ts";
import { examples } from "../examples.ts";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { BoolText, EndInstant, EnumText, Instant, readOnly, StartInstant, StorableInstant, TimeZoneText } from "../values.ts";
import { eventKinds } from "./events.ts";

export const severities = ["low", "medium", "high", "critical"] as const;
export const channels = ["email", "webhook", "push"] as const;
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** When a rule holds, in its own time zone. A window over midnight belongs to the day on which it starts. */
export const Schedule = z
  .object({
    days: z.array(z.enum(weekdays)).meta({ description: "Empty: every day" }),
    start_time: z.string().nullable().meta({ description: "HH:MM, inclusive; null with `end_time` null: all day" }),
    end_time: z.string().nullable().meta({ description: "HH:MM, exclusive; the same as `start_time`: 24 hours" }),
    timezone: z.string().meta({ description: "Name of a time zone, such as Europe/Berlin" }),
  })
  .meta({ id: "Schedule" });

/** An alert rule as clients see it. */
export const Rule = z
  .object({
    id: z.uuid(),
    name: z.string(),
    enabled: z.boolean(),
    kind: z.enum(eventKinds).meta({ description: "The kind of event that the rule is for" }),
    severity: z.enum(severities),
    risk_threshold: z.int().nullable(),
    object_types: z.array(z.string()).nullable(),
    camera_ids: z.array(z.string()).nullable(),
    min_confidence: z.number().nullable(),
    schedule: Schedule.nullable(),
    dedup_key_template: z.string(),
    cooldown_seconds: z.int(),
    channels: z.array(z.enum(channels)).nullable(),
    escalate: z.boolean().meta({ description: "An event in a higher risk band than the alerted one passes the cooldown" }),
    digest: z.boolean().meta({ description: "When the cooldown ends, one notification says what it held back" }),
    version: z.int().meta({ description: "Counts the definitions that the rule has had" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Rule", examples: [examples.rule] });

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time of day from 00:00 to 23:59, written HH:MM");

const ScheduleInput = z
  .strictObject({
    days: z.array(EnumText(weekdays)).max(7).nullable().default([]),
    start_time: TimeOfDay.nullable().default(null),
    end_time: TimeOfDay.nullable().default(null),
    timezone: TimeZoneText.default("UTC"),
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
  .meta({ description: `May use ${dedupKeyNames.map((name) => `{${name}}`).join(", ")}` });

const Channels = z.array(EnumText(channels)).refine((list) => new Set(list).size === list.length, "Must not name a channel twice");

/** What a person decides about a rule: null clears a condition. */
const fields = {
  name: z.string().min(1).max(255),
  enabled: z.boolean(),
  kind: EnumText(eventKinds).meta({
    description: "Default `event`. A rule of kind `camera_health` has no risk_threshold, object_types or min_confidence",
  }),
  severity: EnumText(severities),
  risk_threshold: z.int().min(0).max(100).nullable(),
  object_types: z.array(z.string().min(1).max(100)).max(100).nullable().meta({ description: "Empty: not looked at" }),
  camera_ids: z.array(z.string().min(1).max(64)).max(1000).nullable().meta({ description: "Empty: all cameras" }),
  min_confidence: z.number().min(0).max(1).nullable(),
  schedule: ScheduleInput.nullable(),
  dedup_key_template: DedupKeyTemplate,
  cooldown_seconds: z.int().min(0).max(31_536_000),
  channels: Channels.nullable(),
  escalate: z.boolean(),
  digest: z.boolean(),
};

/** What of a rule may be given; what is left out has its default in a new one and stays in one that there is. */
const changes = z.strictObject(fields).partial();
const changeable = Object.keys(fields) as (keyof typeof fields)[];

/** What stays of a rule when it changes: the definition that a version had. */
export const RuleDefinition = Rule.omit({ id: true, version: true, created_at: true, updated_at: true });

/** What a definition makes of history. */
export const RuleReplay = z
  .object({
    version: z.int().nullable().meta({ description: "Null: not stored, or not stored like this" }),
    events_matched: z.int(),
    match_rate: z.number().meta({ description: "0 to 1" }),
    alerts_after_cooldown: z.int(),
    days: z
      .array(z.object({ date: z.string(), events_matched: z.int(), alerts: z.int() }))
      .meta({ description: "Days on which an event matched, by the time at which its alert would have been raised" }),
  })
  .meta({ id: "RuleReplay" });

/** An event that matches, and whether an alert comes of it or the cooldown holds it back. */
export const ReplayedEvent = z
  .object({
    event_id: z.int(),
    camera_id: z.string(),
    raised_at: Instant.meta({ description: "When the alert would have been raised" }),
    alert: z.boolean().meta({ description: "False: held back by the cooldown" }),
    matched_conditions: z.array(z.string()),
  })
  .meta({ id: "ReplayedEvent" });

const DifferingEvents = z.object({ count: z.int(), event_ids: z.array(z.int()).meta({ description: "The first ones, `limit` at most" }) });

const params = z.object({ id: z.string().meta({ description: "Id of the rule, a UUID" }) });
const refusals = { 404: "No rule has this id" };
const common = { tag: "alerts", params, refusals } as const;

export const ruleRoutes = {
  listRules: route("/api/alerts/rules", {
    method: "get",
    summary: "List the alert rules, newest first",
    tag: "alerts",
    query: z.object({ enabled: BoolText.optional(), severity: EnumText(severities).optional(), ...pageQuery }),
    reply: listOf(Rule),
  }),
  createRule: route("/api/alerts/rules", {
    method: "post",
    summary: "Create an alert rule",
    tag: "alerts",
    body: changes.required({ name: true }).meta({ examples: [examples.newRule] }),
    status: 201,
    reply: Rule,
  }),
  getRule: route("/api/alerts/rules/{id}", { ...common, method: "get", summary: "One alert rule", reply: Rule }),
  updateRule: route("/api/alerts/rules/{id}", {
    ...common,
    method: "put",
    summary: "Change an alert rule; what is left out stays",
    body: z.strictObject({ ...changes.shape, ...readOnly(Rule, changeable) }).meta({ examples: [examples.ruleChange] }),
    reply: Rule,
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
    summary: "What a rule says of stored events, without raising an alert",
    body: z
      .strictObject({
        event_ids: z
          .array(z.int())
          .max(1000)
          .nullable()
          .optional()
          .meta({ description: "Only these; those that do not exist are left out" }),
        limit: z.int().min(1).max(1000).default(100).meta({ description: "The newest so many, where no ids are given" }),
        start_date: StartInstant.nullable().optional(),
        end_date: EndInstant.nullable().optional(),
        at: StorableInstant.nullable().optional().meta({ description: "Judge the schedule by this time, not by that of each event" }),
      })
      .meta({ examples: [examples.ruleTest] })
      .prefault({}),
    reply: z.object({
      rule_id: z.uuid(),
      rule_name: z.string(),
      events_tested: z.int(),
      events_matched: z.int(),
      match_rate: z.number().meta({ description: "0 to 1" }),
      alerts_after_cooldown: z.int(),
      results: z.array(
        z.object({
          event_id: z.int(),
          matches: z.boolean(),
          matched_conditions: z.array(z.string()),
          failed_conditions: z.array(z.string()),
        }),
      ),
    }),
  }),
  backtestRule: route("/api/alerts/rules/{id}/backtest", {
    ...common,
    method: "post",
    summary: "What a rule, a version of it or a changed one makes of history, without raising an alert",
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
      .meta({ examples: [examples.backtest] })
      .prefault({}),
    reply: z.object({
      rule_id: z.uuid(),
      rule_name: z.string(),
      start_date: Instant.nullable(),
      end_date: Instant,
      timezone: z.string(),
      events_tested: z.int(),
      tested: RuleReplay,
      events: z.array(ReplayedEvent).meta({ description: "The newest events that match, `limit` at most, oldest first" }),
      against: RuleReplay.nullable(),
      difference: z
        .object({
          only_tested: DifferingEvents.meta({ description: "Events that alert by the tested definition only" }),
          only_against: DifferingEvents.meta({ description: "Events that alert by the version to compare with only" }),
          both: z.int(),
        })
        .nullable(),
    }),
    refusals: { 404: "No rule has this id, or it has no such version" },
    slow: true,
  }),
};
