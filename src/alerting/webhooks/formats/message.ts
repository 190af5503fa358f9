import type { OutboundEvent } from "../../../contract/outbound-events.ts";

/** How urgent a message looks. `good` is the end of something bad. */
export type Urgency = "good" | "info" | "low" | "medium" | "high" | "critical";

/** A message to a person, for every platform: the formats only change its form. All texts are plain text. */
export interface Message {
  /** One line. */
  readonly headline: string;
  /** Whole sentences; may be empty. */
  readonly text: string;
  /** Names and values, none empty. */
  readonly facts: readonly Fact[];
  readonly urgency: Urgency;
  /** The command that shows more. */
  readonly more: string | null;
  readonly time: Date;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/**
 * Writes an event as a message, with times in `timeZone`. Without a `cameraName` it names the camera by its id. The formats escape the
 * texts.
 */
export function messageOf({ type, data }: OutboundEvent, time: Date, timeZone: string, cameraName?: string | null): Message {
  const camera = cameraName ?? ("camera_id" in data ? data.camera_id : "");
  const {
    facts,
    text = "",
    ...texts
  } = (writers[type] as Writer<OutboundEvent["data"]>)(data, camera, (when) => formatTime(when, timeZone));
  const given = Object.entries(facts).flatMap(([name, value]) => (value === null || value.trim() === "" ? [] : [{ name, value }]));
  return { ...texts, text, facts: given, time };
}

interface Texts extends Omit<Message, "facts" | "text" | "time"> {
  readonly text?: string;
  /** By name; a null or empty value is left out. */
  readonly facts: Readonly<Record<string, string | null>>;
}

type DataOf<T> = Extract<OutboundEvent, { readonly type: T }>["data"];
type Writer<Data> = (data: Data, camera: string, at: (when: Date) => string) => Texts;

/** How each event type is written. */
const writers: { readonly [T in OutboundEvent["type"]]: Writer<DataOf<T>> } = {
  alert_fired: (data, camera, at) => ({ ...alertTexts(data, camera, at), urgency: data.severity }),
  alert_acknowledged: (data, camera, at) => alertTexts(data, camera, at, "Acknowledged"),
  alert_dismissed: (data, camera, at) => alertTexts(data, camera, at, "Dismissed"),
  event_created: (data, camera, at) => {
    const texts = { text: data.summary, more: `homesec events show ${data.id}` };
    if (data.kind === "camera_health") {
      const facts = { Camera: camera, Since: at(data.started_at) };
      return { ...texts, headline: `Problem with camera ${camera}`, facts, urgency: "high" };
    }
    const risk = data.risk_score === null ? null : `${data.risk_score} of 100 (${data.risk_level})`;
    const span = { From: at(data.started_at), To: at(data.ended_at) };
    const facts = { Camera: camera, ...span, Detections: String(data.detection_count), Risk: risk };
    return { ...texts, headline: `${seenText(data.object_types)} at ${camera}`, facts, urgency: data.risk_level ?? "info" };
  },
  event_enriched: ({ event_id, detection_ids }, camera) => ({
    headline: `Event ${event_id} at ${camera} was enriched`,
    facts: { Camera: camera, Detections: String(detection_ids.length) },
    urgency: "info",
    more: `homesec events show ${event_id}`,
  }),
  entity_discovered: (data, camera, at) => ({
    headline: `New ${data.object_type} at ${camera}`,
    facts: { Camera: camera, "First seen": at(data.first_seen_at), Entity: data.entity_id },
    urgency: "low",
    more: `homesec detections show ${data.detection_id}`,
  }),
  anomaly_detected: (data, camera, at) => ({
    headline: data.kind === "scene_change" ? `The view of ${camera} has changed` : `Unusual activity at ${camera}`,
    text: data.reason,
    facts: { Camera: camera, Noticed: at(data.detected_at), Score: String(data.score) },
    urgency: "medium",
    more: `homesec cameras show ${data.camera_id}`,
  }),
  system_health_changed: (data, _camera, at) => ({
    headline: `homesec is ${data.status}; it was ${data.previous_status}`,
    text: data.message,
    facts: { Since: at(data.changed_at), Reported: at(data.reported_at) },
    urgency: ({ healthy: "good", degraded: "medium", unhealthy: "critical" }[data.status] as Urgency | undefined) ?? "info",
    more: "homesec health",
  }),
  batch_analysis_started: (data, camera) => ({ ...analysisTexts(data, camera), headline: `Analysis of ${eventAt(data, camera)} started` }),
  batch_analysis_completed: (data, camera) => {
    const { facts, more } = analysisTexts(data, camera);
    const risk = `${data.risk_score} of 100 (${data.risk_level})`;
    const urgency = (["low", "medium", "high", "critical"] as const).find((level) => level === data.risk_level) ?? "info";
    return { headline: `Risk ${risk}: ${eventAt(data, camera)}`, facts: { ...facts, Risk: risk }, urgency, more };
  },
  batch_analysis_failed: (data, camera) => {
    const { facts, more } = analysisTexts(data, camera);
    const text = "The event has no risk score. Check it yourself.";
    return {
      headline: `Analysis of ${eventAt(data, camera)} failed`,
      text,
      facts: { ...facts, Reason: data.error },
      urgency: "high",
      more,
    };
  },
};

function alertTexts(data: DataOf<"alert_fired">, camera: string, at: (when: Date) => string, ending?: "Acknowledged" | "Dismissed"): Texts {
  const { rule_name, matched_conditions } = data.alert_metadata;
  const what = `${capital(data.severity)} alert: ${rule_name} at ${camera}`;
  return {
    headline: ending === undefined ? what : `${ending}: ${what}`,
    text: ending === undefined ? "" : "homesec cancelled the notifications of this alert that were still waiting.",
    facts: { Camera: camera, Severity: data.severity, Why: matched_conditions.join(", "), Raised: at(data.created_at) },
    urgency: "good",
    more: `homesec explain alert ${data.id}`,
  };
}

type Analysis = Pick<DataOf<"batch_analysis_started">, "event_id" | "attempt">;
const eventAt = ({ event_id }: Analysis, camera: string): string => `event ${event_id} at ${camera}`;
const analysisTexts = ({ event_id, attempt }: Analysis, camera: string): Omit<Texts, "headline"> => ({
  facts: { Camera: camera, Attempt: String(attempt) },
  urgency: "info",
  more: `homesec events show ${event_id}`,
});

/** "Person and dog seen", "Person, dog and car seen". */
function seenText(types: readonly string[]): string {
  if (types.length === 0) return "Something was seen";
  const all = types.length === 1 ? String(types[0]) : `${types.slice(0, -1).join(", ")} and ${types.at(-1)}`;
  return `${capital(all)} seen`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function formatTime(time: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long", timeZone }).format(time);
}
