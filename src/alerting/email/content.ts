import { pluralize } from "../../base/text/pluralize.ts";
import type { AlertFacts, HeldBackEvent, Message, SilenceMessage } from "../delivery/message.ts";
import { alertsText, scopeText, spanText } from "../silences/silence.ts";

const colours = { low: "#4b5563", medium: "#b45309", high: "#c2410c", critical: "#b91c1c" } as const;
const colourOfEnd = "#15803d";

interface Place {
  readonly timeZone: string;
  readonly publicUrl: string | undefined;
}

/** The subject: how bad, what, where and when. */
export function headline(message: Message, timeZone: string): string {
  if (message.silence) return `The silence of ${silenced(message)} is over: it held back ${alertsText(message.heldBack.count)}`;
  const { alert, heldBack, endOf, isTest } = message;
  if (isTest) return `Test message from homesec, ${time(alert.startedAt, timeZone)}`;
  const since = `${clean(alert.cameraName)}, ${time(alert.startedAt, timeZone)}`;
  if (heldBack) return `[${capital(alert.severity)}] ${pluralize(heldBack.count, "event")} held back since the alert from ${since}`;
  if (endOf !== undefined) return `Over: something was wrong with camera ${since}`;
  const verb = alert.incidentEndedAt === null ? "is" : "was";
  if (alert.eventKind === "camera_health") return `[${capital(alert.severity)}] Something ${verb} wrong with camera ${since}`;
  return `[${capital(alert.severity)}] ${capital(alert.objectTypes[0] ?? "something")} at ${since}`;
}

/** What the templates know of a message. */
export function valuesFor(message: Message, place: Place): object {
  if (message.silence) return silenceValues(message, place);
  const { alert, heldBack, endOf, late, isTest } = message;
  const common = {
    heading: headline(message, place.timeZone),
    colour: endOf === undefined ? colours[alert.severity] : colourOfEnd,
    late: late ?? null,
    timeZone: place.timeZone,
  };
  if (!heldBack) {
    return {
      ...common,
      camera: clean(alert.cameraName),
      summary:
        clean(alert.summary) ||
        (alert.riskScore === null ? `There is no summary: the event is ${unjudged(alert)}.` : "There is no summary."),
      reasoning: clean(alert.reasoning),
      rows: isTest ? [] : rowsOf(alert, place.timeZone),
      links: isTest ? [] : linksOf(alert, place.publicUrl),
    };
  }
  const unlisted = heldBack.count - heldBack.events.length;
  return {
    ...common,
    // rules that share a dedup key share the cooldown
    summary: `While the cooldown of "${clean(alert.ruleName)}" lasted, ${pluralize(heldBack.count, "event")} more matched:`,
    events: heldBack.events.map((event) => heldBackRow(event, place)),
    more: unlisted > 0 ? `${pluralize(unlisted, "event")} more ${unlisted === 1 ? "is" : "are"} not listed.` : null,
  };
}

function silenceValues(message: SilenceMessage, place: Place): object {
  const { silence, heldBack } = message;
  const { startedAt, endedAt } = silence;
  const early = endedAt < silence.endsAt ? ", ended by hand" : "";
  const lasted = `${spanText(startedAt, endedAt)}, from ${time(startedAt, place.timeZone)} to ${time(endedAt, place.timeZone)}${early}`;
  const unlisted = heldBack.count - heldBack.events.length;
  return {
    heading: headline(message, place.timeZone),
    colour: colours.low,
    late: message.late ?? null,
    timeZone: place.timeZone,
    summary: `The silence of ${silenced(message)} (${lasted}; reason: ${clean(silence.reason)}) is over. It held back ${alertsText(heldBack.count)}:`,
    events: heldBack.events.map((event) => {
      const row = heldBackRow(event, place);
      return { ...row, text: `${row.text} (rule "${clean(event.ruleName)}")` };
    }),
    more: unlisted > 0 ? `${alertsText(unlisted)} more ${unlisted === 1 ? "is" : "are"} not listed.` : null,
  };
}

function silenced({ silence }: SilenceMessage): string {
  const { cameraId, cameraName, ruleId, ruleName } = silence;
  return clean(scopeText({ camera_id: cameraId, camera_name: cameraName, rule_id: ruleId, rule_name: ruleName }));
}

function rowsOf(alert: AlertFacts, timeZone: string): readonly { readonly name: string; readonly value: string }[] {
  return [
    { name: "Camera", value: clean(alert.cameraName) },
    timeRow(alert, timeZone),
    ...(alert.objectTypes.length > 0 ? [{ name: "Seen", value: clean(alert.objectTypes.join(", ")) }] : []),
    ...(alert.eventKind === "camera_health" ? [] : [{ name: "Risk", value: risk(alert) }]),
    { name: "Rule", value: clean(alert.ruleName) },
    ...(alert.matchedConditions.length > 0 ? [{ name: "Because", value: clean(alert.matchedConditions.join("; ")) }] : []),
    { name: "Event", value: String(alert.eventId) },
  ];
}

function timeRow({ eventKind, incidentEndedAt, startedAt, endedAt }: AlertFacts, timeZone: string) {
  const began = `${time(startedAt, timeZone)} (${timeZone})`;
  // until an incident is over, its event ends when it was noticed
  if (eventKind === "camera_health" && incidentEndedAt === null) return { name: "Since", value: began };
  const lasted = spanText(startedAt, endedAt);
  return { name: "Time", value: lasted === "0 s" ? began : `${began}, for ${lasted}` };
}

function linksOf(alert: AlertFacts, publicUrl: string | undefined): readonly { readonly name: string; readonly url: string }[] {
  if (publicUrl === undefined) return [];
  return [
    { name: "The event", url: eventUrl(publicUrl, alert.eventId) },
    ...(alert.detectionId === null ? [] : [{ name: "The whole picture", url: `${publicUrl}/api/detections/${alert.detectionId}/image` }]),
  ];
}

function heldBackRow(event: HeldBackEvent, { timeZone, publicUrl }: Place) {
  return {
    time: time(event.startedAt, timeZone),
    risk: event.eventKind === "camera_health" ? null : risk(event),
    text: `${clean(event.cameraName)}: ${clean(event.summary) || `event ${event.eventId}`}`,
    url: publicUrl === undefined ? null : eventUrl(publicUrl, event.eventId),
  };
}

const eventUrl = (publicUrl: string, eventId: number): string => `${publicUrl}/api/events/${eventId}`;
type Judged = Pick<AlertFacts, "analysisStatus" | "riskScore" | "riskLevel">;
const risk = (event: Judged): string => (event.riskScore === null ? unjudged(event) : `${event.riskScore} of 100 (${event.riskLevel})`);
const unjudged = ({ analysisStatus }: Judged): string => (analysisStatus === "pending" ? "not judged yet" : "not judged");
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const clean = (text: string): string => onOneLine(text, 2_000);

/** A time as people read it, in their zone. */
function time(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
  return format.format(at).replaceAll(",", "");
}

/** Text without line ends and other control characters, which have no place in a header or a cell, and not longer than `longest`. */
export function onOneLine(text: string, longest: number): string {
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  const characters = [...plain];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : plain;
}
