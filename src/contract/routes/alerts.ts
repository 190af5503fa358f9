import { z } from "zod";
import { alertStatuses, severities } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, EndInstant, EnumText, IdText, Instant, StartInstant } from "../values.ts";

const route = routesOf("alerts");

/** Delivery status of an alert on one channel. */
export const ChannelResult = z
  .object({
    channel: z.string().meta({ description: "`email`, `webhook`, `push`, or the name of a channel to phones", example: "email" }),
    status: z.enum(["waiting", "sent", "failed", "expired", "cancelled", "unusable"]).meta({ description: "Delivery status" }),
    reason: z.string().nullable().meta({ description: "Why the notification waits or failed, or the channel is unusable" }),
    attempts: z.int().meta({ description: "Attempts made", example: 1 }),
    late: z.boolean().meta({ description: "True when the first attempt did not succeed" }),
  })
  .meta({ id: "ChannelResult", description: "Delivery status of an alert on one channel", example: { status: "sent" } });

export const AlertMetadata = z
  .object({
    rule_name: z.string().meta({ description: "Name of the rule when the alert was raised", example: "People at night" }),
    matched_conditions: z.array(z.string()).meta({ description: "Conditions that matched, such as `risk_score >= 70`" }),
    channels: z.array(ChannelResult).meta({ description: "Delivery status per channel of the rule" }),
    reason: z.string().nullable().meta({ description: "Why the alert is pending although nothing is queued" }),
    late_seconds: z.int().nullable().meta({
      description: "Seconds between the end of the event and the alert if that is more than 10 minutes; else null",
      example: null,
    }),
    closed_by: z
      .string()
      .optional()
      .meta({ description: "Name of the key that acknowledged or dismissed the alert; absent without one", example: "anna" }),
  })
  .meta({
    id: "AlertMetadata",
    description: "Matched conditions and delivery status of an alert",
    example: { matched_conditions: ["risk_score >= 70", "object_type in [person]"] },
  });

/** An alert as clients receive it. */
export const Alert = z
  .object({
    id: z.uuid().meta({ description: "Id of the alert", example: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11" }),
    event_id: z.int().meta({ description: "Event that raised the alert", example: 1207 }),
    rule_id: z
      .uuid()
      .nullable()
      .meta({ description: "Rule that raised the alert; null when the rule was deleted", example: "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" }),
    camera_id: CameraIdText,
    severity: z.enum(severities).meta({ description: "Severity of the rule", example: "high" }),
    status: z.enum(alertStatuses).meta({ description: "`acknowledged` and `dismissed` are final", example: "delivered" }),
    dedup_key: z.string().meta({ description: "Key of the cooldown: it suppresses other alerts with the same key" }),
    created_at: Instant.meta({ description: "Time the alert was raised", example: "2026-01-31T22:16:11.372Z" }),
    delivered_at: Instant.nullable().meta({ description: "Time of the first successful delivery; null until then" }),
    acknowledged_at: Instant.nullable().meta({ description: "Time of the acknowledgement, or null" }),
    dismissed_at: Instant.nullable().meta({ description: "Time of the dismissal, or null" }),
    alert_metadata: AlertMetadata,
  })
  .meta({
    id: "Alert",
    description: "An alert about an event",
    example: { dedup_key: "front-door:0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22", delivered_at: "2026-01-31T22:16:12.018Z" },
  });

// Any text is accepted; an id that does not exist is 404 in any format
const params = z.object({ id: z.string().meta({ description: "Alert id, a UUID" }) });
const noSuchAlert = "No alert has this id";
const isOver = "The alert is already acknowledged or dismissed";

export const alertRoutes = {
  listAlerts: route.get("/api/alerts", "List alerts, newest first", {
    query: z.object({
      status: EnumText(alertStatuses).optional().meta({ description: "Only with this status" }),
      severity: EnumText(severities).optional().meta({ description: "Only of this severity" }),
      rule_id: z.guid().optional().meta({ description: "Only of this rule" }),
      camera_id: z.string().optional().meta({ description: "Only of this camera" }),
      event_id: IdText.optional().meta({ description: "Only of this event" }),
      start_date: StartInstant.optional(),
      end_date: EndInstant.optional(),
      ...pageQuery,
    }),
    reply: listOf(Alert),
  }),
  getAlert: route.get("/api/alerts/{id}", "Get an alert", { params, reply: Alert, refusals: { 404: noSuchAlert } }),
  acknowledgeAlert: route.post("/api/alerts/{id}/acknowledge", "Acknowledge an alert and cancel its pending notifications", {
    params,
    reply: Alert,
    refusals: { 404: noSuchAlert, 409: isOver },
    example: { reply: { status: "acknowledged", acknowledged_at: "2026-01-31T22:20:05.771Z" } },
  }),
  dismissAlert: route.post("/api/alerts/{id}/dismiss", "Dismiss an alert and cancel its pending notifications", {
    params,
    reply: Alert,
    refusals: { 404: noSuchAlert, 409: isOver },
    example: { reply: { status: "dismissed", dismissed_at: "2026-01-31T22:20:05.771Z" } },
  }),
};
