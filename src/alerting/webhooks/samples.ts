import type { sampleKinds } from "../../contract/constants.ts";
import type { OutboundEvent, OutboundEventType } from "../../contract/outbound-events.ts";

export type SampleKind = (typeof sampleKinds)[number];

const time = new Date("2026-01-31T22:15:00Z");
const end = new Date("2026-01-31T22:15:40Z");
const analysis = { event_id: 1207, batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3", camera_id: "front-door", attempt: 1 };

type DataOf<T> = Extract<OutboundEvent, { readonly type: T }>["data"];

const alert: DataOf<"alert_fired"> = {
  ...{ id: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11", event_id: 1207, rule_id: "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" },
  ...{ camera_id: "front-door", dedup_key: "front-door:0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" },
  severity: "high",
  status: "pending",
  ...{ created_at: end, delivered_at: null, acknowledged_at: null, dismissed_at: null },
  alert_metadata: {
    ...{ rule_name: "People at night", matched_conditions: ["risk_score >= 70", "object_type in [person]"], channels: [], reason: null },
  },
};

const event: DataOf<"event_created"> = {
  id: 1207,
  kind: "event",
  ...{ batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3", camera_id: "front-door", started_at: time, ended_at: end },
  ...{ risk_score: null, risk_level: null, summary: "", reasoning: "", reviewed: false, notes: "" },
  ...{ detection_count: 2, detection_ids: [90_211, 90_212], object_types: ["person", "dog"] },
  thumbnail_url: "/api/detections/90211/thumbnail",
  analysis_status: "pending",
  ...{ risk_factors: [], analyzed_by: null, created_at: end, deleted_at: null },
};

const acknowledged = { ...alert, status: "acknowledged", delivered_at: end, acknowledged_at: end } as const;
const dismissed = { ...alert, status: "dismissed", delivered_at: end, dismissed_at: end } as const;
const entityId = "9c1f7a34-5b20-4d6e-8e13-b7a90d42f6c8";
const entity = { entity_id: entityId, object_type: "person", camera_id: "front-door", detection_id: 90_211, first_seen_at: time };
const anomaly = { camera_id: "front-door", detected_at: time, score: 3.4, reason: "14 persons in an hour; 2 are usual" };
const cause = "language_model: the service does not answer";
const health = { status: "degraded", previous_status: "healthy", message: cause, changed_at: time, reported_at: end } as const;
const sample = <T extends OutboundEventType>(type: T, eventId: string, data: DataOf<T>) => ({ type, eventId, data });

/** A realistic event of each type, to test a webhook and to try a template when it is saved. */
export const samples: { readonly [T in OutboundEventType]: { readonly type: T; readonly eventId: string; readonly data: DataOf<T> } } = {
  alert_fired: sample("alert_fired", alert.id, alert),
  alert_acknowledged: sample("alert_acknowledged", alert.id, acknowledged),
  alert_dismissed: sample("alert_dismissed", alert.id, dismissed),
  event_created: sample("event_created", "1207", event),
  event_enriched: sample("event_enriched", "1207", { event_id: 1207, camera_id: "front-door", detection_ids: [90_211, 90_212] }),
  entity_discovered: sample("entity_discovered", entityId, entity),
  anomaly_detected: sample("anomaly_detected", "front-door", { kind: "baseline", ...anomaly }),
  system_health_changed: sample("system_health_changed", "system", health),
  batch_analysis_started: sample("batch_analysis_started", "1207", analysis),
  batch_analysis_completed: sample("batch_analysis_completed", "1207", { ...analysis, risk_score: 72, risk_level: "high" }),
  batch_analysis_failed: sample("batch_analysis_failed", "1207", { ...analysis, error: "The answer holds no JSON object" }),
};

/** The second kind of the event types that report two kinds of things. */
export const otherSamples = {
  camera_health: sample("event_created", "1208", {
    ...{ ...event, id: 1208, kind: "camera_health", batch_id: null, ended_at: time },
    summary: "Camera Front door is silent: no picture for 5 min, while one every 1 min is usual.",
    ...{ detection_count: 0, detection_ids: [], object_types: [], thumbnail_url: null },
    analysis_status: "completed",
  }),
  scene_change: sample("anomaly_detected", "scene_change:12", {
    ...{ ...anomaly, kind: "scene_change", score: 0.41 },
    reason: "The camera was moved (similarity 0.41); acknowledge scene change 12 if it is meant to be so",
  }),
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
