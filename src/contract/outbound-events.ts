import { z } from "zod";
import { eventKinds, type outboundEventTypes, riskLevels } from "./constants.ts";
import { Alert } from "./routes/alerts.ts";
import { Event, EventId } from "./routes/events.ts";
import { DaySummary } from "./routes/summaries.ts";
import { CameraIdText, Instant } from "./values.ts";

/**
 * What happened, in every message about an event or its alerts, under the names of the event's record. Score, level and summary are empty
 * while the event is not judged.
 */
export const EventOverview = z.object({
  event_id: EventId,
  kind: z.enum(eventKinds),
  camera_id: CameraIdText,
  camera_name: z.string(),
  started_at: Instant,
  ended_at: Instant,
  risk_score: z.int().nullable(),
  risk_level: z.enum(riskLevels).nullable(),
  summary: z.string(),
  object_types: z.array(z.string()),
  /** The largest number of each class in one picture. */
  object_counts: z.record(z.string(), z.int()),
  thumbnail_url: z.string().nullable(),
  event_url: z.string(),
  /** The event's page, added when a message is sent; null without the web page. */
  page_url: z.string().nullable().optional(),
});
export type EventOverview = z.output<typeof EventOverview>;

/** The analysis of an event, from start to end. */
export const Analysis = z.object({ event_id: z.int(), batch_id: z.string().nullable(), camera_id: z.string(), attempt: z.int() });

/** The content of a daily summary, as it is stored: it stays the same for each attempt. */
export const SentSummary = z.object({
  due_at: Instant,
  day: DaySummary,
  /** What no other summary covers; `docs/alerts.md` explains it. */
  rest: z.object({ started_at: Instant, ended_at: Instant, events: z.int(), alerts: z.int() }),
  /** The days before it that have no summary; null if there are none. */
  missed: z.object({ first: z.string(), last: z.string() }).nullable(),
});
export type SentSummary = z.output<typeof SentSummary>;

const overview = EventOverview.shape;

/** The shape of `data` in outbound webhooks, by event type. */
export const outboundEvents = {
  alert_fired: Alert.extend(overview),
  /** The visit of an immediate alert is over and judged. */
  alert_updated: Alert.extend(overview),
  alert_acknowledged: Alert.extend(overview),
  alert_dismissed: Alert.extend(overview),
  /** The summary of a day, with the page of the day, which is null without the web page. */
  daily_summary: SentSummary.extend({ page_url: z.string().nullable().optional() }),
  event_created: Event.extend(overview),
  event_enriched: z.object({ detection_ids: z.array(z.int()) }).extend(overview),
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
  batch_analysis_started: Analysis.extend(overview),
  batch_analysis_completed: Analysis.extend({ ...overview, risk_score: z.int(), risk_level: z.enum(riskLevels) }),
  batch_analysis_failed: Analysis.extend({ ...overview, error: z.string() }),
} satisfies Record<(typeof outboundEventTypes)[number], z.ZodType>;

export type OutboundEventType = keyof typeof outboundEvents;

/** An event that a use case passes to `emit`, in its own transaction. */
export type OutboundEvent = {
  [T in OutboundEventType]: {
    readonly type: T;
    /** The subject: id of an event, alert or entity, as text. */
    readonly eventId: string;
    readonly data: z.output<(typeof outboundEvents)[T]>;
    /** The event that it is about. Messages about one event stay in order at each webhook. */
    readonly about?: {
      readonly eventId: number;
      /** The message waits until then for the judgement of the event; null: it does not wait. */
      readonly judgementDueAt: Date | null;
    };
    /** The alert that it is about, which webhooks may limit. */
    readonly alert?: {
      readonly ruleId: string | null;
      readonly severity: string;
    };
    /** The webhooks that get it even if they do not subscribe to it, since a rule or a setting names them. */
    readonly webhookIds?: readonly string[];
  };
}[OutboundEventType];
