import { z } from "zod";
import { Instant } from "../values.ts";
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
  .meta({ id: "Alert" });
