import { z } from "zod";
import type { outboundEventTypes } from "./constants.ts";
import { Alert } from "./routes/alerts.ts";
import { Event } from "./routes/events.ts";
import { Instant } from "./values.ts";

/** The analysis of an event, from start to end. */
export const Analysis = z.object({ event_id: z.int(), batch_id: z.string().nullable(), camera_id: z.string(), attempt: z.int() });

/** The shape of `data` in outbound webhooks, by event type. */
export const outboundEvents = {
  alert_fired: Alert,
  alert_acknowledged: Alert,
  alert_dismissed: Alert,
  event_created: Event,
  event_enriched: z.object({ event_id: z.int(), camera_id: z.string(), detection_ids: z.array(z.int()) }),
  entity_discovered: z.object({
    entity_id: z.string(),
    object_type: z.string(),
    camera_id: z.string(),
    detection_id: z.int(),
    first_seen_at: Instant,
  }),
  anomaly_detected: z.object({
    kind: z.enum(["baseline", "scene_change"]),
    camera_id: z.string(),
    detected_at: Instant,
    score: z.number(),
    reason: z.string(),
  }),
  system_health_changed: z.object({
    status: z.string(),
    previous_status: z.string(),
    message: z.string(),
    changed_at: Instant,
    reported_at: Instant,
  }),
  batch_analysis_started: Analysis,
  batch_analysis_completed: Analysis.extend({ risk_score: z.int(), risk_level: z.string() }),
  batch_analysis_failed: Analysis.extend({ error: z.string() }),
} satisfies Record<(typeof outboundEventTypes)[number], z.ZodType>;

export type OutboundEventType = keyof typeof outboundEvents;

/** An event that a use case passes to `emit`, in its own transaction. */
export type OutboundEvent = {
  [T in OutboundEventType]: {
    readonly type: T;
    /** The subject: id of an event, alert or entity, as text. */
    readonly eventId: string;
    readonly data: z.output<(typeof outboundEvents)[T]>;
  };
}[OutboundEventType];
