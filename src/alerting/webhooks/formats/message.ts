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
export function messageOf(event: OutboundEvent, time: Date, timeZone: string, cameraName?: string | null): Message {
  const camera = cameraName ?? ("camera_id" in event.data ? event.data.camera_id : "");
  const { facts, ...texts } = textsOf(event, camera, (when) => formatTime(when, timeZone));
  return {
    ...texts,
    facts: facts.flatMap(([name, value]) => (value === null || value.trim() === "" ? [] : [{ name, value }])),
    time,
  };
}

interface Texts extends Omit<Message, "facts" | "time"> {
  readonly facts: readonly (readonly [name: string, value: string | null])[];
}

function textsOf(event: OutboundEvent, camera: string, at: (when: Date) => string): Texts {
  switch (event.type) {
    case "alert_fired":
    case "alert_acknowledged":
    case "alert_dismissed": {
      const { data } = event;
      const what = `${capital(data.severity)} alert: ${data.alert_metadata.rule_name} at ${camera}`;
      const fired = event.type === "alert_fired";
      return {
        headline: fired ? what : `${event.type === "alert_acknowledged" ? "Acknowledged" : "Dismissed"}: ${what}`,
        text: fired ? "" : "homesec cancelled the notifications of this alert that were still waiting.",
        facts: [
          ["Camera", camera],
          ["Severity", data.severity],
          ["Why", data.alert_metadata.matched_conditions.join(", ")],
          ["Raised", at(data.created_at)],
        ],
        urgency: fired ? data.severity : "good",
        more: `homesec explain alert ${data.id}`,
      };
    }
    case "event_created": {
      const { data } = event;
      const more = `homesec events show ${data.id}`;
      if (data.kind === "camera_health") {
        const headline = `Problem with camera ${camera}`;
        const facts = [
          ["Camera", camera],
          ["Since", at(data.started_at)],
        ] as const;
        return { headline, text: data.summary, facts, urgency: "high", more };
      }
      return {
        headline: `${seenText(data.object_types)} at ${camera}`,
        text: data.summary,
        facts: [
          ["Camera", camera],
          ["From", at(data.started_at)],
          ["To", at(data.ended_at)],
          ["Detections", String(data.detection_count)],
          ["Risk", data.risk_score === null ? null : `${data.risk_score} of 100 (${data.risk_level})`],
        ],
        urgency: data.risk_level ?? "info",
        more,
      };
    }
    case "event_enriched":
      return {
        headline: `Event ${event.data.event_id} at ${camera} was enriched`,
        text: "",
        facts: [
          ["Camera", camera],
          ["Detections", String(event.data.detection_ids.length)],
        ],
        urgency: "info",
        more: `homesec events show ${event.data.event_id}`,
      };
    case "entity_discovered":
      return {
        headline: `New ${event.data.object_type} at ${camera}`,
        text: "",
        facts: [
          ["Camera", camera],
          ["First seen", at(event.data.first_seen_at)],
          ["Entity", event.data.entity_id],
        ],
        urgency: "low",
        more: `homesec detections show ${event.data.detection_id}`,
      };
    case "anomaly_detected":
      return {
        headline: event.data.kind === "scene_change" ? `The view of ${camera} has changed` : `Unusual activity at ${camera}`,
        text: event.data.reason,
        facts: [
          ["Camera", camera],
          ["Noticed", at(event.data.detected_at)],
          ["Score", String(event.data.score)],
        ],
        urgency: "medium",
        more: `homesec cameras show ${event.data.camera_id}`,
      };
    case "system_health_changed":
      return {
        headline: `homesec is ${event.data.status}; it was ${event.data.previous_status}`,
        text: event.data.message,
        facts: [
          ["Since", at(event.data.changed_at)],
          ["Reported", at(event.data.reported_at)],
        ],
        urgency: ({ healthy: "good", degraded: "medium", unhealthy: "critical" }[event.data.status] as Urgency | undefined) ?? "info",
        more: "homesec health",
      };
    case "batch_analysis_started":
    case "batch_analysis_completed":
    case "batch_analysis_failed":
      return { ...analysis(event, camera), more: `homesec events show ${event.data.event_id}` };
  }
}

type AnalysisEvent = Extract<OutboundEvent, { readonly type: `batch_${string}` }>;

function analysis(event: AnalysisEvent, camera: string): Omit<Texts, "more"> {
  const about = `event ${event.data.event_id} at ${camera}`;
  const facts: Texts["facts"] = [
    ["Camera", camera],
    ["Attempt", String(event.data.attempt)],
  ];
  switch (event.type) {
    case "batch_analysis_started":
      return { headline: `Analysis of ${about} started`, text: "", facts, urgency: "info" };
    case "batch_analysis_completed": {
      const { risk_score, risk_level } = event.data;
      return {
        headline: `Risk ${risk_score} of 100 (${risk_level}): ${about}`,
        text: "",
        facts: [...facts, ["Risk", `${risk_score} of 100 (${risk_level})`]],
        urgency: (["low", "medium", "high", "critical"] as const).find((level) => level === risk_level) ?? "info",
      };
    }
    case "batch_analysis_failed":
      return {
        headline: `Analysis of ${about} failed`,
        text: "The event has no risk score. Check it yourself.",
        facts: [...facts, ["Reason", event.data.error]],
        urgency: "high",
      };
  }
}

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
