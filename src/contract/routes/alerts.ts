import { z } from "zod";
import { alertStatuses, channels, severities } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { CameraIdText, EndInstant, EnumText, IdText, Instant, StartInstant } from "../values.ts";

/** How far one channel got with an alert. */
export const ChannelResult = z
  .object({
    channel: z.enum(channels).meta({ description: "The way to a person" }),
    status: z.enum(["waiting", "sent", "failed", "expired", "cancelled", "unusable"]).meta({ description: "How far it got" }),
    reason: z.string().nullable().meta({ description: "Why it waits, failed or cannot be used" }),
    attempts: z.int().meta({ description: "Attempts made", example: 1 }),
    late: z.boolean().meta({ description: "It did not go out at the first attempt" }),
  })
  .meta({ id: "ChannelResult", description: "How far one channel got with an alert", example: { status: "sent" } });

export const AlertMetadata = z
  .object({
    rule_name: z.string().meta({ description: "The rule, as it was called then", example: "People at night" }),
    matched_conditions: z.array(z.string()).meta({ description: "Why the rule matched, such as `risk_score >= 70`" }),
    channels: z.array(ChannelResult).meta({ description: "How far each channel of the rule got" }),
    reason: z.string().nullable().meta({ description: "Why the alert is still pending, where nothing is on its way" }),
  })
  .meta({
    id: "AlertMetadata",
    description: "Why an alert was raised, and how far its notifications got",
    example: { matched_conditions: ["risk_score >= 70", "object_type in [person]"] },
  });

/** An alert as clients see it. */
export const Alert = z
  .object({
    id: z.uuid().meta({ description: "Id of the alert", example: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11" }),
    event_id: z.int().meta({ description: "The event that raised it", example: 1207 }),
    rule_id: z.uuid().nullable().meta({ description: "Null when the rule was deleted", example: "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" }),
    camera_id: CameraIdText,
    severity: z.enum(severities).meta({ description: "That of the rule", example: "high" }),
    status: z.enum(alertStatuses).meta({ description: "`acknowledged` and `dismissed` are final", example: "delivered" }),
    dedup_key: z.string().meta({ description: "While its cooldown lasts, no other alert is raised under this key" }),
    created_at: Instant.meta({ description: "When it was raised", example: "2026-01-31T22:16:11.372Z" }),
    delivered_at: Instant.nullable().meta({ description: "When the first channel succeeded; null until then" }),
    acknowledged_at: Instant.nullable().meta({ description: "When a person acknowledged it; null unless one did" }),
    dismissed_at: Instant.nullable().meta({ description: "When a person dismissed it; null unless one did" }),
    alert_metadata: AlertMetadata,
  })
  .meta({
    id: "Alert",
    description: "That a person is to know of an event",
    example: { dedup_key: "front-door:0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22", delivered_at: "2026-01-31T22:16:12.018Z" },
  });

// any text is taken: what names nothing is 404, whatever its form
const params = z.object({ id: z.string().meta({ description: "Alert id, a UUID" }) });
const noSuchAlert = "No alert has this id";
const isOver = "The alert was acknowledged or dismissed before";

export const alertRoutes = {
  listAlerts: route("/api/alerts", {
    method: "get",
    summary: "List alerts, newest first",
    tag: "alerts",
    query: z.object({
      status: EnumText(alertStatuses).optional().meta({ description: "Only in this state" }),
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
  getAlert: route("/api/alerts/{id}", {
    method: "get",
    summary: "One alert",
    tag: "alerts",
    params,
    reply: Alert,
    refusals: { 404: noSuchAlert },
  }),
  acknowledgeAlert: route("/api/alerts/{id}/acknowledge", {
    method: "post",
    summary: "Acknowledge an alert; what still waits to be sent of it is cancelled",
    tag: "alerts",
    params,
    reply: Alert,
    refusals: { 404: noSuchAlert, 409: isOver },
    example: { reply: { status: "acknowledged", acknowledged_at: "2026-01-31T22:20:05.771Z" } },
  }),
  dismissAlert: route("/api/alerts/{id}/dismiss", {
    method: "post",
    summary: "Dismiss an alert; what still waits to be sent of it is cancelled",
    tag: "alerts",
    params,
    reply: Alert,
    refusals: { 404: noSuchAlert, 409: isOver },
    example: { reply: { status: "dismissed", dismissed_at: "2026-01-31T22:20:05.771Z" } },
  }),
};
