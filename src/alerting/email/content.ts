import { pluralize } from "../../base/text/format.ts";
import type { AlertFacts, HeldBackEvent, Message, SilenceMessage } from "../delivery/message.ts";
import { alertsText, scopeText, spanText } from "../silences/silence.ts";

const colours = { low: "#4b5563", medium: "#b45309", high: "#c2410c", critical: "#b91c1c" } as const;
const colourOfEnd = "#15803d";

interface Place {
  readonly timeZone: string;
  readonly publicUrl: string | undefined;
}

/** Writes the subject: severity, object, camera and local time. */
export function headline(message: Message, timeZone: string): string {
  if (message.silence) return `The silence for ${silenced(message)} has ended; it muted ${alertsText(message.heldBack.count)}`;
  const { alert, heldBack, endOf, isTest } = message;
  if (isTest) return `Test message from homesec, ${time(alert.startedAt, timeZone)}`;
  const place = `${clean(alert.cameraName)}, ${time(alert.startedAt, timeZone)}`;
  const severity = `[${capital(alert.severity)}]`;
  if (heldBack) return `${severity} ${moreText(heldBack.count, "event")} since the alert at ${place}`;
  if (endOf !== undefined) return `Resolved: problem with camera ${place}`;
  if (alert.eventKind === "event") return `${severity} ${capital(alert.objectTypes[0] ?? "something")} at ${place}`;
  return `${severity} ${alert.incidentEndedAt === null ? "Problem" : "Resolved problem"} with camera ${place}`;
}

/** Returns the values of the mail templates. */
export function valuesFor(message: Message, place: Place): object {
  const common = { heading: headline(message, place.timeZone), late: message.late ?? null, timeZone: place.timeZone };
  if (message.silence) return { ...common, ...silenceValues(message, place) };
  const { alert, heldBack, endOf, isTest } = message;
  const colour = endOf === undefined ? colours[alert.severity] : colourOfEnd;
  if (heldBack) {
    return {
      ...{ ...common, colour },
      // Only the cooldown is this rule's: another rule with the same dedup key may have matched
      summary: `During the cooldown of "${clean(alert.ruleName)}", ${moreText(heldBack.count, "event")} matched:`,
      ...listed(heldBack, "event", place, heldBackText),
    };
  }
  const unknown = alert.riskScore === null ? `No summary: the event has ${risk(alert)}.` : "No summary.";
  return {
    ...{ ...common, colour, camera: clean(alert.cameraName) },
    summary: clean(alert.summary) || unknown,
    reasoning: clean(alert.reasoning),
    rows: isTest ? [] : rowsOf(alert, place.timeZone),
    links: isTest ? [] : linksOf(alert, place.publicUrl),
  };
}

function silenceValues(message: SilenceMessage, place: Place): object {
  const { silence, heldBack } = message;
  const { startedAt, endedAt } = silence;
  const span = `${spanText(startedAt, endedAt)}, from ${time(startedAt, place.timeZone)} to ${time(endedAt, place.timeZone)}`;
  const early = endedAt < silence.endsAt ? " (ended early)" : "";
  return {
    colour: colours.low,
    summary: `The silence for ${silenced(message)} lasted ${span}${early}. Reason: ${clean(silence.reason)}. It muted ${alertsText(heldBack.count)}:`,
    ...listed(heldBack, "alert", place, (event) => `${heldBackText(event)} (rule "${clean(event.ruleName)}")`),
  };
}

/** The list of a digest or a silence, and the sentence that counts the rest. */
function listed<Event extends HeldBackEvent>(
  { count, events }: { readonly count: number; readonly events: readonly Event[] },
  noun: string,
  { timeZone, publicUrl }: Place,
  textOf: (event: Event) => string,
) {
  const unlisted = count - events.length;
  return {
    events: events.map((event) => ({
      time: time(event.startedAt, timeZone),
      risk: event.eventKind === "camera_health" ? null : risk(event),
      text: textOf(event),
      url: publicUrl === undefined ? null : eventUrl(publicUrl, event.eventId),
    })),
    more: unlisted > 0 ? `${moreText(unlisted, noun)} ${unlisted === 1 ? "is" : "are"} not listed.` : null,
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
    ...(alert.matchedConditions.length > 0 ? [{ name: "Why", value: clean(alert.matchedConditions.join("; ")) }] : []),
    { name: "Event", value: String(alert.eventId) },
  ];
}

function timeRow({ eventKind, incidentEndedAt, startedAt, endedAt }: AlertFacts, timeZone: string) {
  const began = `${time(startedAt, timeZone)} (${timeZone})`;
  // While an incident lasts, its event ends when it was noticed
  if (eventKind === "camera_health" && incidentEndedAt === null) return { name: "Since", value: began };
  const lasted = spanText(startedAt, endedAt);
  return { name: "Time", value: lasted === "0 s" ? began : `${began}, for ${lasted}` };
}

function linksOf(alert: AlertFacts, publicUrl: string | undefined): readonly { readonly name: string; readonly url: string }[] {
  if (publicUrl === undefined) return [];
  return [
    { name: "Event details", url: eventUrl(publicUrl, alert.eventId) },
    ...(alert.detectionId === null ? [] : [{ name: "Full picture", url: `${publicUrl}/api/detections/${alert.detectionId}/image` }]),
  ];
}

const eventUrl = (publicUrl: string, eventId: number): string => `${publicUrl}/api/events/${eventId}`;
type Judged = Pick<AlertFacts, "analysisStatus" | "riskScore" | "riskLevel">;
const risk = ({ analysisStatus, riskScore, riskLevel }: Judged): string =>
  riskScore === null ? `no risk score${analysisStatus === "pending" ? " yet" : ""}` : `${riskScore} of 100 (${riskLevel})`;
const heldBackText = ({ cameraName, summary, eventId }: HeldBackEvent): string =>
  `${clean(cameraName)}: ${clean(summary) || `event ${eventId}`}`;
const moreText = (count: number, noun: string): string => pluralize(count, `more ${noun}`);
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const clean = (text: string): string => onOneLine(text, 2_000);

const shownParts = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;

/** Formats a time in the recipient's time zone: `Wed 1 Jul 2026 23:30`. */
function time(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, ...shownParts }).format(at).replaceAll(",", "");
}

/** Replaces line ends and other control characters, which would break a header or a cell, and cuts the text to `longest` characters. */
export function onOneLine(text: string, longest: number): string {
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  const characters = [...plain];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : plain;
}
