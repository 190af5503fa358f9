import type { sampleKinds } from "../../contract/constants.ts";
import type { EventOverview, OutboundEvent, OutboundEventType } from "../../contract/outbound-events.ts";

export type SampleKind = (typeof sampleKinds)[number];

const time = new Date("2026-01-31T22:15:00Z");
const end = new Date("2026-01-31T22:15:40Z");
/** The event of all samples that are about one. */
const overview: EventOverview = {
  event_id: 1207,
  kind: "event",
  ...{ camera_id: "front-door", camera_name: "Front door", started_at: time, ended_at: end },
  ...{ risk_score: 72, risk_level: "high", summary: "1 person and 1 dog at Front door, for 40 s." },
  ...{ object_types: ["person", "dog"], object_counts: { person: 1, dog: 1 } },
  ...{ thumbnail_url: "/api/detections/90211/thumbnail", event_url: "/api/events/1207", page_url: "/events/1207" },
};
const unscored = { risk_score: null, risk_level: null, summary: "" } as const;
const analysis = { ...overview, event_id: 1207, batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3", camera_id: "front-door", attempt: 1 };

type DataOf<T> = Extract<OutboundEvent, { readonly type: T }>["data"];

const alert: DataOf<"alert_fired"> = {
  ...overview,
  ...{ id: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11", event_id: 1207, rule_id: "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" },
  ...{ camera_id: "front-door", dedup_key: "front-door:0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22" },
  severity: "high",
  status: "pending",
  ...{ created_at: end, delivered_at: null, acknowledged_at: null, dismissed_at: null },
  alert_metadata: {
    ...{ rule_name: "People at night", matched_conditions: ["risk_score >= 70", "object_type in [person]"] },
    channels: [{ channel: "email", status: "waiting", reason: null, attempts: 0, late: false }],
    reason: null,
    late_seconds: null,
  },
};

const event: DataOf<"event_created"> = {
  ...overview,
  ...{ id: 1207, batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3" },
  reasoning: "The built-in scorer adds points for the facts and does not see the pictures: person present +32, at night +40.",
  ...{ pinned: false, pinned_at: null, pinned_by: null },
  ...{ reviewed: false, notes: "", ongoing: false, detection_count: 2, detection_ids: [90_211, 90_212] },
  analysis_status: "completed",
  risk_factors: [{ name: "person present", contribution: 32, detail: "confidence 89 %" }],
  ...{ analyzed_by: "built-in scorer", created_at: end, deleted_at: null },
};

const acknowledged = { ...alert, status: "acknowledged", delivered_at: end, acknowledged_at: end } as const;
const dismissed = { ...alert, status: "dismissed", delivered_at: end, dismissed_at: end } as const;
const entityId = "9c1f7a34-5b20-4d6e-8e13-b7a90d42f6c8";
const entity = { entity_id: entityId, object_type: "person", camera_id: "front-door", detection_id: 90_211, first_seen_at: time };
const anomaly = { camera_id: "front-door", detected_at: time, score: 3.4, reason: "14 persons in an hour; 2 are usual" };
const cause = "language_model: the service does not answer";
const health = { status: "degraded", previous_status: "healthy", message: cause, changed_at: time, reported_at: end } as const;
const day: DataOf<"daily_summary">["day"] = {
  ...{ date: "2026-01-31", started_at: new Date("2026-01-31T00:00:00Z"), ended_at: new Date("2026-02-01T00:00:00Z") },
  events: { total: 9, low: 6, medium: 2, high: 1, critical: 0, unscored: 0, unreviewed: 3 },
  cameras: [
    { camera_id: "front-door", camera_name: "Front door", events: 9, classes: [{ object_type: "person", events: 8 }] },
    { camera_id: "garden", camera_name: "Garden", events: 0, classes: [] },
  ],
  alerts: { total: 2, acknowledged: 1, dismissed: 0, open: 1 },
  hidden: { silenced: 1, masked: 12, parked: 240 },
  problems: [{ camera_id: "garden", camera_name: "Garden", reason: "no picture for 3 hours", started_at: time, ended_at: null }],
  pending: { pictures: 0, judgements: 0, messages: 0, failed: 1 },
};
const daily: DataOf<"daily_summary"> = {
  ...{ due_at: new Date("2026-02-01T07:30:00Z"), day, page_url: "/day/2026-01-31" },
  rest: { started_at: day.ended_at, ended_at: new Date("2026-02-01T07:30:00Z"), events: 1, alerts: 0 },
  missed: { first: "2026-01-29", last: "2026-01-30" },
};
const sample = <T extends OutboundEventType>(type: T, eventId: string, data: DataOf<T>) => ({ type, eventId, data });

/** A realistic event of each type, to test a webhook and to try a template when it is saved. */
export const samples: { readonly [T in OutboundEventType]: { readonly type: T; readonly eventId: string; readonly data: DataOf<T> } } = {
  alert_fired: sample("alert_fired", alert.id, alert),
  alert_updated: sample("alert_updated", alert.id, alert),
  alert_acknowledged: sample("alert_acknowledged", alert.id, acknowledged),
  alert_dismissed: sample("alert_dismissed", alert.id, dismissed),
  daily_summary: sample("daily_summary", "2026-01-31", daily),
  event_created: sample("event_created", "1207", event),
  event_enriched: sample("event_enriched", "1207", { ...overview, detection_ids: [90_211, 90_212] }),
  entity_discovered: sample("entity_discovered", entityId, entity),
  anomaly_detected: sample("anomaly_detected", "front-door", { kind: "baseline", ...anomaly }),
  system_health_changed: sample("system_health_changed", "system", health),
  batch_analysis_started: sample("batch_analysis_started", "1207", { ...analysis, ...unscored }),
  batch_analysis_completed: sample("batch_analysis_completed", "1207", { ...analysis, risk_score: 72, risk_level: "high" }),
  batch_analysis_failed: sample("batch_analysis_failed", "1207", { ...analysis, ...unscored, error: "The answer holds no JSON object" }),
};

/** The second kind of the event types that report two kinds of things. */
export const otherSamples = {
  camera_health: sample("event_created", "1208", {
    ...{ ...event, ...unscored, id: 1208, event_id: 1208, kind: "camera_health", batch_id: null, ended_at: time },
    summary: "Camera Front door is silent: no picture for 5 min, while one every 1 min is usual.",
    ...{ detection_count: 0, detection_ids: [], object_types: [], object_counts: {}, thumbnail_url: null, event_url: "/api/events/1208" },
    ...{ reasoning: "", risk_factors: [], analyzed_by: null },
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
