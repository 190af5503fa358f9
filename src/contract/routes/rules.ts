import { z } from "zod";
import { Instant } from "../values.ts";

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
  .meta({ id: "Rule" });
