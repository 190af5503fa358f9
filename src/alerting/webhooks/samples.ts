import type { sampleKinds } from "../../contract/constants.ts";
import type { OutboundEvent, OutboundEventType } from "../../contract/outbound-events.ts";

export type SampleKind = (typeof sampleKinds)[number];

const time = new Date("2026-01-31T22:15:00Z");
const end = new Date("2026-01-31T22:15:40Z");
const analysis = { event_id: 1207, batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3", camera_id: "front-door", attempt: 1 };

const alert = {
  id: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11",
  event_id: 1207,
  rule_id: "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22",
  camera_id: "front-door",
  severity: "high",
  status: "pending",
  dedup_key: "front-door:0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22",
  created_at: end,
  delivered_at: null,
  acknowledged_at: null,
  dismissed_at: null,
  alert_metadata: {
    rule_name: "People at night",
    matched_conditions: ["risk_score >= 70", "object_type in [person]"],
    channels: [],
    reason: null,
  },
} as const;

const event = {
  id: 1207,
  kind: "event",
  batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3",
  camera_id: "front-door",
  started_at: time,
  ended_at: end,
  risk_score: null,
  risk_level: null,
  summary: "",
  reasoning: "",
  reviewed: false,
  notes: "",
  detection_count: 2,
  detection_ids: [90_211, 90_212],
  object_types: ["person", "dog"],
  thumbnail_url: "/api/detections/90211/thumbnail",
  analysis_status: "pending",
  risk_factors: [],
  analyzed_by: null,
  created_at: end,
  deleted_at: null,
} satisfies Extract<OutboundEvent, { readonly type: "event_created" }>["data"];

const metadata = { ...alert.alert_metadata, matched_conditions: [...alert.alert_metadata.matched_conditions], channels: [] };

/** A realistic event of each type, to test a webhook and to try a template when it is saved. */
export const samples: { readonly [T in OutboundEventType]: Extract<OutboundEvent, { readonly type: T }> } = {
  alert_fired: { type: "alert_fired", eventId: alert.id, data: { ...alert, alert_metadata: metadata } },
  alert_acknowledged: {
    type: "alert_acknowledged",
    eventId: alert.id,
    data: { ...alert, alert_metadata: metadata, status: "acknowledged", delivered_at: end, acknowledged_at: end },
  },
  alert_dismissed: {
    type: "alert_dismissed",
    eventId: alert.id,
    data: { ...alert, alert_metadata: metadata, status: "dismissed", delivered_at: end, dismissed_at: end },
  },
  event_created: {
    type: "event_created",
    eventId: "1207",
    data: event,
  },
  event_enriched: {
    type: "event_enriched",
    eventId: "1207",
    data: { event_id: 1207, camera_id: "front-door", detection_ids: [90_211, 90_212] },
  },
  entity_discovered: {
    type: "entity_discovered",
    eventId: "9c1f7a34-5b20-4d6e-8e13-b7a90d42f6c8",
    data: {
      entity_id: "9c1f7a34-5b20-4d6e-8e13-b7a90d42f6c8",
      object_type: "person",
      camera_id: "front-door",
      detection_id: 90_211,
      first_seen_at: time,
    },
  },
  anomaly_detected: {
    type: "anomaly_detected",
    eventId: "front-door",
    data: { kind: "baseline", camera_id: "front-door", detected_at: time, score: 3.4, reason: "14 persons in an hour; 2 are usual" },
  },
  system_health_changed: {
    type: "system_health_changed",
    eventId: "system",
    data: {
      status: "degraded",
      previous_status: "healthy",
      message: "language_model: the service does not answer",
      changed_at: time,
      reported_at: end,
    },
  },
  batch_analysis_started: { type: "batch_analysis_started", eventId: "1207", data: analysis },
  batch_analysis_completed: {
    type: "batch_analysis_completed",
    eventId: "1207",
    data: { ...analysis, risk_score: 72, risk_level: "high" },
  },
  batch_analysis_failed: {
    type: "batch_analysis_failed",
    eventId: "1207",
    data: { ...analysis, error: "The answer holds no JSON object" },
  },
};

/** The second kind of the event types that report two kinds of things. */
export const otherSamples = {
  camera_health: {
    type: "event_created",
    eventId: "1208",
    data: {
      ...event,
      id: 1208,
      kind: "camera_health",
      batch_id: null,
      ended_at: time,
      summary: "Camera Front door is silent: no picture for 5 min, while one every 1 min is usual.",
      detection_count: 0,
      detection_ids: [],
      object_types: [],
      thumbnail_url: null,
      analysis_status: "completed",
    },
  },
  scene_change: {
    type: "anomaly_detected",
    eventId: "scene_change:12",
    data: {
      kind: "scene_change",
      camera_id: "front-door",
      detected_at: time,
      score: 0.41,
      reason: "The camera was moved (similarity 0.41); acknowledge scene change 12 if it is meant to be so",
    },
  },
} satisfies Readonly<Record<SampleKind, OutboundEvent>>;

/** Returns all samples of a type. */
export function samplesOf(type: OutboundEventType): readonly OutboundEvent[] {
  return [samples[type], ...Object.values(otherSamples).filter((each) => each.type === type)];
}

/** Returns the sample of a type and kind; undefined when the type does not report this kind. */
export function sampleOf(type: OutboundEventType, kind: SampleKind | undefined): OutboundEvent | undefined {
  if (kind === undefined) return samples[type];
  const other = otherSamples[kind];
  return other.type === type ? other : undefined;
}
