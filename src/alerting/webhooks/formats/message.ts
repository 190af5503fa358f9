import type { OutboundEvent } from "../../../contract/outbound-events.ts";

/** How urgent a message looks. `good` is the end of something bad. */
export type Urgency = "good" | "info" | "low" | "medium" | "high" | "critical";

/** What is told to a person, whatever the platform: each format only dresses it. All texts are plain. */
export interface Message {
  /** One line. */
  readonly headline: string;
  /** What it means, in sentences; may be empty. */
  readonly text: string;
  /** Names and values, none of them empty. */
  readonly facts: readonly Fact[];
  readonly urgency: Urgency;
  /** How to learn more: a command. */
  readonly more: string | null;
  readonly time: Date;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/**
 * Says an event in words. Times are shown in `timeZone`; without a `cameraName` the camera's id is said. Unknown text stays as it is:
 * the formats escape it.
 */
export function messageOf(event: OutboundEvent, time: Date, timeZone: string, cameraName?: string | null): Message {
  const camera = cameraName ?? ("camera_id" in event.data ? event.data.camera_id : "");
  const { facts, ...said } = words(event, camera, (when) => formatTime(when, timeZone));
  return {
    ...said,
    facts: facts.flatMap(([name, value]) => (value === null || value.trim() === "" ? [] : [{ name, value }])),
    time,
  };
}

interface Words extends Omit<Message, "facts" | "time"> {
  readonly facts: readonly (readonly [name: string, value: string | null])[];
}

function words(event: OutboundEvent, camera: string, at: (when: Date) => string): Words {
  switch (event.type) {
    case "alert_fired":
    case "alert_acknowledged":
    case "alert_dismissed": {
      const { data } = event;
      const what = `${capital(data.severity)} alert: ${data.alert_metadata.rule_name} at ${camera}`;
      const fired = event.type === "alert_fired";
      return {
        headline: fired ? what : `${event.type === "alert_acknowledged" ? "Acknowledged" : "Dismissed"}: ${what}`,
        text: fired ? "" : "Somebody has taken note of this alert; who has not been told of it yet is not told any more.",
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
        const headline = `Something is wrong with camera ${camera}`;
        const facts = [
          ["Camera", camera],
          ["Since", at(data.started_at)],
        ] as const;
        return { headline, text: data.summary, facts, urgency: "high", more };
      }
      return {
        headline: `${seen(data.object_types)} at ${camera}`,
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
        headline: `More is known about event ${event.data.event_id} at ${camera}`,
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
        headline: `A ${event.data.object_type} not seen before at ${camera}`,
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

function analysis(event: AnalysisEvent, camera: string): Omit<Words, "more"> {
  const about = `event ${event.data.event_id} at ${camera}`;
  const facts: Words["facts"] = [
    ["Camera", camera],
    ["Attempt", String(event.data.attempt)],
  ];
  switch (event.type) {
    case "batch_analysis_started":
      return { headline: `The analysis of ${about} has begun`, text: "", facts, urgency: "info" };
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
        headline: `The analysis of ${about} has failed`,
        text: "The event is there, but this analysis gave it no risk score. A person has to look at it.",
        facts: [...facts, ["Reason", event.data.error]],
        urgency: "high",
      };
  }
}

/** "Person and dog seen", "Person, dog and car seen". */
function seen(types: readonly string[]): string {
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
