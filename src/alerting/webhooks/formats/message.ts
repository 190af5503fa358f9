import { objectCountsText, objectCountText } from "../../../base/text/format.ts";
import type { EventOverview, OutboundEvent } from "../../../contract/outbound-events.ts";
import { isOnInternet } from "../../delivery/links.ts";
import { lateText } from "../../rules/lateness.ts";
import { sentSections, summaryHeadline } from "../../summaries/text.ts";

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
  /** The address of the event's or the day's page; missing without PUBLIC_URL. */
  readonly link?: string;
  /** The words of the link; without them, those for an event. */
  readonly linkTitle?: string;
  /** The address of a picture that the chat can load. */
  readonly picture?: string;
  readonly time: Date;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/**
 * Writes an event as a message, with times in `timeZone`. Without a `cameraName` it has the name in the data, or the camera's id. The
 * formats escape the texts.
 */
export function messageOf({ type, data }: OutboundEvent, time: Date, timeZone: string, cameraName?: string | null): Message {
  const camera = cameraName ?? ("camera_name" in data ? data.camera_name : "camera_id" in data ? data.camera_id : "");
  const {
    facts,
    text = "",
    ...texts
  } = (writers[type] as Writer<OutboundEvent["data"]>)(data, camera, (when) => formatTime(when, timeZone), timeZone);
  const given = Object.entries(facts).flatMap(([name, value]) => (value === null || value.trim() === "" ? [] : [{ name, value }]));
  return { ...texts, text, facts: given, ...linksOf(data), time };
}

function linksOf(data: OutboundEvent["data"]): Pick<Message, "link" | "linkTitle" | "picture"> {
  if ("day" in data) return data.page_url?.startsWith("http") ? { link: data.page_url, linkTitle: "The day" } : {};
  if (!("event_url" in data)) return {};
  const { thumbnail_url: picture } = data;
  const link = data.page_url ?? data.event_url;
  return {
    ...(link.startsWith("http") && { link }),
    ...(picture !== null && isOnInternet(picture) && { picture }),
  };
}

interface Texts extends Omit<Message, "facts" | "text" | "time"> {
  readonly text?: string;
  /** By name; a null or empty value is left out. */
  readonly facts: Readonly<Record<string, string | null>>;
}

type DataOf<T> = Extract<OutboundEvent, { readonly type: T }>["data"];
type Writer<Data> = (data: Data, camera: string, at: (when: Date) => string, timeZone: string) => Texts;

/** How each event type is written. */
const writers: { readonly [T in OutboundEvent["type"]]: Writer<DataOf<T>> } = {
  alert_fired: (data, camera, at) => ({ ...alertTexts(data, camera, at), urgency: data.severity }),
  alert_updated: (data, camera, at) => {
    const texts = alertTexts(data, camera, at);
    return { ...texts, headline: `Update: ${texts.headline}`, urgency: data.severity };
  },
  alert_acknowledged: (data, camera, at) => alertTexts(data, camera, at, "Acknowledged"),
  alert_dismissed: (data, camera, at) => alertTexts(data, camera, at, "Dismissed"),
  daily_summary: (data, _camera, _at, timeZone) => ({
    headline: summaryHeadline(data.day),
    facts: Object.fromEntries(
      sentSections(data, timeZone).map(({ title, rows }) => {
        return [title, rows.map(({ name, value }) => (name === null ? value : `${name}: ${value}`)).join("; ")];
      }),
    ),
    urgency: "info",
    more: `homesec summary --day ${data.day.date}`,
  }),
  event_created: (data, camera, at) => ({
    headline: whatHappened(data, camera),
    text: data.summary,
    facts: overviewFacts(data, camera, at),
    urgency: data.kind === "camera_health" ? "high" : (data.risk_level ?? "info"),
    more: `homesec events show ${data.id}`,
  }),
  event_enriched: (data, camera, at) => ({
    headline: `Event ${data.event_id} at ${camera} was enriched`,
    text: data.summary,
    facts: { ...overviewFacts(data, camera, at), Detections: String(data.detection_ids.length) },
    urgency: "info",
    more: `homesec events show ${data.event_id}`,
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
  batch_analysis_started: (data, camera, at) => ({
    ...analysisTexts(data, camera, at),
    headline: `Analysis of ${eventAt(data, camera)} started`,
  }),
  batch_analysis_completed: (data, camera, at) => ({
    ...analysisTexts(data, camera, at),
    headline: `Risk ${riskText(data)}: ${eventAt(data, camera)}`,
    text: data.summary,
    urgency: data.risk_level,
  }),
  batch_analysis_failed: (data, camera, at) => {
    const { facts, more } = analysisTexts(data, camera, at);
    return {
      headline: `Analysis of ${eventAt(data, camera)} failed`,
      text: "The event has no risk score. Check it yourself.",
      facts: { ...facts, Reason: data.error },
      urgency: "high",
      more,
    };
  },
};

function alertTexts(data: DataOf<"alert_fired">, camera: string, at: (when: Date) => string, ending?: "Acknowledged" | "Dismissed"): Texts {
  const what = whatHappened(data, camera);
  const { late_seconds, rule_name } = data.alert_metadata;
  // Deliveries that an older version queued have no `late_seconds`
  const late = late_seconds ? lateText(late_seconds) : "";
  const cancelled = "homesec cancelled the notifications of this alert that were still waiting.";
  return {
    headline: ending === undefined ? what : `${ending}: ${what}`,
    text: [data.summary, ending === undefined ? late : cancelled].filter((sentence) => sentence !== "").join(" "),
    facts: { ...overviewFacts(data, camera, at), Rule: `${rule_name} (severity ${data.severity})` },
    urgency: "good",
    more: `homesec explain alert ${data.id}`,
  };
}

/** "Person and dog seen at Front door: high risk", or the problem with a camera. */
function whatHappened(event: EventOverview, camera: string): string {
  if (event.kind === "camera_health") return `Problem with camera ${camera}`;
  const risk = event.risk_level === null ? "" : `: ${event.risk_level} risk`;
  return `${seenText(event)} at ${camera}${risk}`;
}

function overviewFacts(event: EventOverview, camera: string, at: (when: Date) => string): Texts["facts"] {
  if (event.kind === "camera_health") return { Camera: camera, Since: at(event.started_at) };
  return {
    Camera: camera,
    Seen: objectCountsText(event.object_counts),
    Risk: riskText(event),
    ...timeFacts(at(event.started_at), at(event.ended_at)),
  };
}

/** A single picture has one time. */
function timeFacts(from: string, to: string): Texts["facts"] {
  return from === to ? { Time: from } : { From: from, To: to };
}

function riskText({ risk_score: score, risk_level: level }: Pick<EventOverview, "risk_score" | "risk_level">): string {
  return score === null ? "not scored yet" : `${score} of 100 (${level})`;
}

type AnalysisData = DataOf<"batch_analysis_started">;
const eventAt = ({ event_id }: Pick<AnalysisData, "event_id">, camera: string): string => `event ${event_id} at ${camera}`;

function analysisTexts(data: AnalysisData, camera: string, at: (when: Date) => string): Omit<Texts, "headline"> {
  return {
    facts: { ...overviewFacts(data, camera, at), Attempt: String(data.attempt) },
    urgency: "info",
    more: `homesec events show ${data.event_id}`,
  };
}

/** "Person and dog seen", "Person, dog and car seen", and with numbers if there was more than one of a class: "2 people and 1 dog seen". */
function seenText({ object_types: types, object_counts: counts }: Pick<EventOverview, "object_types" | "object_counts">): string {
  if (types.length === 0) return "Something was seen";
  const isCounted = types.some((type) => (counts[type] ?? 1) > 1);
  const named = types.map((type) => (isCounted ? objectCountText(type, counts[type] ?? 1) : type));
  const all = named.length === 1 ? String(named[0]) : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
  return `${capital(all)} seen`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function formatTime(time: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long", timeZone }).format(time);
}
