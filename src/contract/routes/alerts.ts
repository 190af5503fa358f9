import { z } from "zod";
import { examples } from "../examples.ts";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { EndInstant, EnumText, IdText, Instant, StartInstant } from "../values.ts";
import { channels, severities } from "./rules.ts";

export const alertStatuses = ["pending", "delivered", "acknowledged", "dismissed"] as const;

/** How far one channel got with an alert. */
export const ChannelResult = z
  .object({
    channel: z.enum(channels),
    status: z.enum(["waiting", "sent", "failed", "expired", "cancelled", "unusable"]),
    reason: z.string().nullable().meta({ description: "Why it waits, failed or cannot be used" }),
    attempts: z.int(),
    late: z.boolean().meta({ description: "It did not go out at the first attempt" }),
  })
  .meta({ id: "ChannelResult" });

export const AlertMetadata = z
  .object({
    rule_name: z.string(),
    matched_conditions: z.array(z.string()),
    channels: z.array(ChannelResult),
    reason: z.string().nullable().meta({ description: "Why the alert is still pending, where nothing is on its way" }),
  })
  .meta({ id: "AlertMetadata" });

/** An alert as clients see it. */
export const Alert = z
  .object({
    id: z.uuid(),
    event_id: z.int(),
    rule_id: z.uuid().nullable().meta({ description: "Null when the rule was deleted" }),
    camera_id: z.string(),
    severity: z.enum(severities),
    status: z.enum(alertStatuses),
    dedup_key: z.string(),
    created_at: Instant,
    delivered_at: Instant.nullable(),
    acknowledged_at: Instant.nullable(),
    dismissed_at: Instant.nullable(),
    alert_metadata: AlertMetadata,
  })
  .meta({ id: "Alert", examples: [examples.alert] });

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
      status: EnumText(alertStatuses).optional(),
      severity: EnumText(severities).optional(),
      rule_id: z.uuid().optional(),
      camera_id: z.string().optional(),
      event_id: IdText.optional(),
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
  }),
  dismissAlert: route("/api/alerts/{id}/dismiss", {
    method: "post",
    summary: "Dismiss an alert; what still waits to be sent of it is cancelled",
    tag: "alerts",
    params,
    reply: Alert,
    refusals: { 404: noSuchAlert, 409: isOver },
  }),
};
