import { z } from "zod";
import { conditionFields } from "../constants.ts";
import { routesOf } from "../route.ts";
import { EndInstant, Instant, StartInstant, TimeZoneText } from "../values.ts";
import { Event } from "./events.ts";
import { AssumedMode, Conditions, NewRule, RuleReplay, Tested } from "./rules.ts";

const route = routesOf("alerts");

/** Days of history that a draft is tested on unless the client says otherwise. */
export const draftDays = 30;

/** Maximum number of events that a draft is tested on. 50,000 take about a second, and clients ask after every change of a form. */
export const mostDraftEvents = 50_000;

/** An event that a draft would have raised an alert for. */
const DraftAlert = z
  .object({
    raised_at: Instant.meta({ description: "Time the alert would have been raised" }),
    matched_conditions: Conditions,
    event: Event,
  })
  .meta({ id: "DraftAlert", description: "An alert that a definition would have raised" });

/** An event that fails exactly one condition of a draft. */
const NearMiss = z
  .object({
    field: z.enum(conditionFields).meta({ description: "Field of the only condition that the event does not fulfil", example: "schedule" }),
    failed_condition: z.string().meta({
      description: "The unfulfilled condition",
      example: "sun 13:00 not within schedule fri-sun 22:00-06:00 Europe/Berlin",
    }),
    event: Event,
  })
  .meta({ id: "NearMiss", description: "An event that fails exactly one condition" });

/** A value that can never match or be sent. */
const DraftFault = z
  .object({
    field: z
      .enum(["object_types", "camera_ids", "zones", "not_zones", "channels"])
      .meta({ description: "Field of the value", example: "channels" }),
    message: z.string().meta({
      description: "What is wrong and how to fix it",
      example: "Email cannot be used: it needs SMTP_HOST and SMTP_FROM_ADDRESS",
    }),
  })
  .meta({ id: "DraftFault", description: "A value of a definition that can never match or be sent" });

export const ruleDraftRoutes = {
  backtestDefinition: route.post(
    "/api/alerts/rules/backtest",
    "Backtest a definition before it is stored; raises no alerts and ignores silences",
    {
      body: z.strictObject({
        definition: NewRule.meta({ description: "The definition, as for a new rule" }),
        start_date: StartInstant.nullable()
          .optional()
          .meta({ description: `Start (default: ${draftDays} days ago)` }),
        end_date: EndInstant.nullable().optional().meta({ description: "End (default: now)" }),
        mode: AssumedMode,
        timezone: TimeZoneText.default("UTC").meta({ description: "Time zone of the days" }),
        limit: z.int().min(0).max(100).default(20).meta({ description: "Maximum number of listed alerts, and of listed near misses" }),
      }),
      reply: z.object({
        start_date: Instant.meta({ description: "Requested start", example: "2026-01-01T00:00:00.000Z" }),
        end_date: Instant.meta({ description: "Requested end, or now" }),
        timezone: z.string().meta({ description: "As requested", example: "Europe/Berlin" }),
        events_tested: Tested,
        complete: z.boolean().meta({
          description: `False if only the newest ${mostDraftEvents.toLocaleString("en")} events of that time were tested`,
          example: true,
        }),
        tested: RuleReplay,
        alerts: z.array(DraftAlert).meta({ description: "Newest alerts, newest first" }),
        near_misses: z
          .object({
            count: z.int().meta({ description: "Number of events that fail exactly one condition", example: 1 }),
            fields: z
              .array(
                z.object({
                  field: z.enum(conditionFields).meta({ description: "Field of the condition", example: "schedule" }),
                  count: z.int().meta({ description: "Number of events that fail only this condition", example: 1 }),
                }),
              )
              .meta({ description: "The same by condition, most frequent first" }),
            events: z.array(NearMiss).meta({ description: "Newest of these events, newest first" }),
          })
          .meta({ description: "Events that fail exactly one condition" }),
        faults: z.array(DraftFault).meta({ description: "Values that can never match or be sent; a rule may still be stored with them" }),
      }),
      slow: true,
      example: {
        body: {
          definition: {
            name: "People at night",
            object_types: ["person"],
            schedule: { days: [], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
            channels: ["email"],
          },
          timezone: "Europe/Berlin",
        },
        reply: { tested: { version: null, events_matched: 1, match_rate: 0.0169, alerts_after_cooldown: 1, days: [] } },
      },
    },
  ),
};
