import type { z } from "zod";
import type { Alert, alertRoutes } from "../routes/alerts.ts";
import { cameraId } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";
import { alertId, eventId, ruleId, ruleName } from "./ids.ts";
import { listOf } from "./page.ts";
import { matchedConditions } from "./rules.ts";

export const alert = {
  id: alertId,
  event_id: eventId,
  rule_id: ruleId,
  camera_id: cameraId,
  severity: "high",
  status: "delivered",
  dedup_key: `${cameraId}:${ruleId}`,
  created_at: "2026-01-31T22:16:11.372Z",
  delivered_at: "2026-01-31T22:16:12.018Z",
  acknowledged_at: null,
  dismissed_at: null,
  alert_metadata: {
    rule_name: ruleName,
    matched_conditions: matchedConditions,
    channels: [
      { channel: "email", status: "sent", reason: null, attempts: 1, late: false },
      { channel: "webhook", status: "failed", reason: "The target answered 404", attempts: 1, late: false },
    ],
    reason: null,
  },
} satisfies z.input<typeof Alert>;

export const alertExamples = {
  listAlerts: { reply: listOf(alert) },
  getAlert: { reply: alert },
  acknowledgeAlert: { reply: { ...alert, status: "acknowledged", acknowledged_at: "2026-01-31T22:20:05.771Z" } },
  dismissAlert: { reply: { ...alert, status: "dismissed", dismissed_at: "2026-01-31T22:20:05.771Z" } },
} satisfies ExamplesOf<typeof alertRoutes>;
