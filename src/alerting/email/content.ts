import { pluralize } from "../../base/text/format.ts";
import { riskLevels, severities } from "../../contract/constants.ts";
import { eventLink, type LinkSettings } from "../delivery/links.ts";
import type {
  AlertFacts,
  AlertMessage,
  CatchUpMessage,
  HeldBackEvent,
  Message,
  SilenceMessage,
  SummaryMessage,
} from "../delivery/message.ts";
import { onOneLine } from "../delivery/texts.ts";
import { conditionTexts } from "../rules/condition-words.ts";
import { alertsText, scopeText, spanText } from "../silences/silence.ts";
import { summaryHeadline } from "../summaries/text.ts";

const colours = { low: "#4b5563", medium: "#b45309", high: "#c2410c", critical: "#b91c1c" } as const;
const colourOfEnd = "#15803d";

/** A catch-up message names this many cameras and counts the rest. */
const listedCameras = 5;

interface Place {
  readonly timeZone: string;
  readonly links: LinkSettings;
}

/** How urgent a message is, from the least urgent. */
export type Level = keyof typeof colours;

/**
 * Returns how urgent a message about an alert is: the risk level of the event, or, while it has none, the highest severity of the rules that
 * matched.
 */
export function levelOf({ alert, joined }: Pick<AlertMessage, "alert" | "joined">): Level {
  const level = riskLevels.find((each) => each === alert.riskLevel);
  if (level !== undefined && alert.eventKind === "event") return level;
  const ranks = [alert, ...joined].map(({ severity }) => severities.indexOf(severity));
  return severities[Math.max(...ranks)] ?? alert.severity;
}

/** Writes the subject: level, object, camera and local time. */
export function headline(message: Message, timeZone: string): string {
  if (message.summary) return summaryHeadline(message.summary.day);
  if (message.silence) return `The silence for ${silenced(message)} has ended; it muted ${alertsText(message.heldBack.count)}`;
  if (message.catchUp) return catchUpHeadline(message);
  const { alert, heldBack, endOf, updateOf, isTest } = message;
  if (isTest) return `Test message from homesec, ${time(alert.startedAt, timeZone)}`;
  const place = `${clean(alert.cameraName)}, ${time(alert.startedAt, timeZone)}`;
  const level = `[${capital(levelOf(message))}]`;
  if (heldBack) return `${level} ${moreText(heldBack.count, "event")} since the alert at ${place}`;
  if (endOf !== undefined) return `Resolved: problem with camera ${place}`;
  if (alert.eventKind === "event")
    return `${updateOf === undefined ? "" : "Update: "}${level} ${capital(alert.objectTypes[0] ?? "something")} at ${place}`;
  return `${level} ${alert.incidentEndedAt === null ? "Problem" : "Resolved problem"} with camera ${place}`;
}

/** The values of the mail templates. */
export interface MessageValues {
  readonly heading: string;
  readonly late: string | null;
  readonly timeZone: string;
  readonly colour: string;
  readonly summary: string;
  /** Of a message about several events. */
  readonly events?: readonly { readonly time: string; readonly risk: string | null; readonly text: string; readonly url: string | null }[];
  readonly more?: string | null;
  /** Of a message about one event. */
  readonly camera?: string;
  readonly reasoning?: string;
  readonly rows?: readonly TableRow[];
  readonly links?: readonly { readonly name: string; readonly url: string }[];
}

/** Returns the values of the mail templates. */
export function valuesFor(message: Exclude<Message, SummaryMessage>, place: Place): MessageValues {
  const common: Pick<MessageValues, "heading" | "late" | "timeZone"> = {
    heading: headline(message, place.timeZone),
    late: [message.alert && message.reminder, message.late].filter(Boolean).join(" ") || null,
    timeZone: place.timeZone,
  };
  if (message.silence) return { ...common, ...silenceValues(message, place) };
  if (message.catchUp) return { ...common, ...catchUpValues(message, place) };
  const { alert, heldBack, endOf, isTest } = message;
  const colour = endOf === undefined ? colours[levelOf(message)] : colourOfEnd;
  if (heldBack) {
    return {
      ...{ ...common, colour },
      // Only the cooldown is this rule's: another rule with the same dedup key may have matched
      summary: `During the cooldown of "${clean(alert.ruleName)}", ${moreText(heldBack.count, "event")} matched:`,
      ...listed(heldBack, "event", place, heldBackText),
    };
  }
  const reason = alert.isOngoing === true ? "the visit is not over" : `the event has ${risk(alert)}`;
  const unknown = alert.riskScore === null ? `No summary: ${reason}.` : "No summary.";
  return {
    ...{ ...common, colour, camera: clean(alert.cameraName) },
    summary: clean(alert.summary) || unknown,
    reasoning: clean(alert.reasoning),
    rows: isTest ? [] : rowsOf(message, place.timeZone),
    links: isTest ? [] : linksOf(alert, place.links),
  };
}

function silenceValues(message: SilenceMessage, place: Place) {
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

/** Writes how many alerts wait for a recipient, and how severe they are. */
export function catchUpHeadline({ catchUp: { severity }, heldBack: { count } }: CatchUpMessage): string {
  return `${pluralize(count, "alert")} outside your hours, ${count === 1 ? "severity" : "highest severity"} ${severity}`;
}

function catchUpValues({ catchUp, heldBack }: CatchUpMessage, place: Place) {
  const { since, until, cameras, severity, recipient } = catchUp;
  const span = `between ${time(since, place.timeZone)} and ${time(until, place.timeZone)}`;
  const shown = cameras.slice(0, listedCameras).map(clean).join(", ");
  const where = cameras.length > listedCameras ? `${shown} and ${cameras.length - listedCameras} more` : shown;
  return {
    colour: colours[severity],
    summary: `homesec held back ${pluralize(heldBack.count, "alert")} for ${clean(recipient)} ${span}, at ${where}:`,
    ...listed(heldBack, "alert", place, (event) => `${heldBackText(event)} (rule "${clean(event.ruleName)}")`),
  };
}

/** The list of a digest, a silence or a catch-up message, and the sentence that counts the rest. */
function listed<Event extends HeldBackEvent>(
  { count, events }: { readonly count: number; readonly events: readonly Event[] },
  noun: string,
  { timeZone, links }: Place,
  textOf: (event: Event) => string,
) {
  const unlisted = count - events.length;
  return {
    events: events.map((event) => ({
      time: time(event.startedAt, timeZone),
      risk: event.eventKind === "camera_health" ? null : risk(event),
      text: textOf(event),
      url: eventLink(links, event.eventId) ?? null,
    })),
    more: unlisted > 0 ? `${moreText(unlisted, noun)} ${unlisted === 1 ? "is" : "are"} not listed.` : null,
  };
}

function silenced({ silence }: SilenceMessage): string {
  const { cameraId, cameraName, ruleId, ruleName } = silence;
  return clean(scopeText({ camera_id: cameraId, camera_name: cameraName, rule_id: ruleId, rule_name: ruleName }));
}

interface TableRow {
  readonly name: string;
  readonly value: string;
}

function rowsOf({ alert, joined }: AlertMessage, timeZone: string): readonly TableRow[] {
  return [
    { name: "Camera", value: clean(alert.cameraName) },
    timeRow(alert, timeZone),
    ...(alert.objectTypes.length > 0 ? [{ name: "Seen", value: clean(alert.objectTypes.join(", ")) }] : []),
    ...(alert.zones && alert.zones.length > 0 ? [{ name: "Zones", value: clean(alert.zones.join(", ")) }] : []),
    ...(alert.eventKind === "camera_health" ? [] : [{ name: "Risk", value: risk(alert) }]),
    ...(joined.length === 0 ? ruleRows(alert) : [alert, ...joined].toSorted(bySeverity).map(ruleRow)),
    { name: "Event", value: String(alert.eventId) },
  ];
}

type RuleFacts = Pick<AlertFacts, "ruleName" | "severity" | "matchedConditions">;

/** The most severe rule comes first, then the first by name. */
export function bySeverity(one: RuleFacts, other: RuleFacts): number {
  return severities.indexOf(other.severity) - severities.indexOf(one.severity) || (one.ruleName < other.ruleName ? -1 : 1);
}

/** The only rule that matched, and why. */
function ruleRows(rule: RuleFacts): readonly TableRow[] {
  const why = whyText(rule);
  return [{ name: "Rule", value: ruleText(rule) }, ...(why === "" ? [] : [{ name: "Why", value: capital(why) }])];
}

/** One of several rules that matched. */
function ruleRow(rule: RuleFacts): TableRow {
  const why = whyText(rule);
  return { name: "Rule", value: `${ruleText(rule)}${why === "" ? "" : `: ${why}`}` };
}

const ruleText = ({ ruleName, severity }: RuleFacts): string => `${clean(ruleName)} (severity ${severity})`;
/** Why a rule matched. */
export const whyText = ({ matchedConditions }: RuleFacts): string => clean(conditionTexts(matchedConditions).join(", "));

function timeRow({ eventKind, incidentEndedAt, startedAt, endedAt }: AlertFacts, timeZone: string) {
  const began = `${time(startedAt, timeZone)} (${timeZone})`;
  // While an incident lasts, its event ends when it was noticed
  if (eventKind === "camera_health" && incidentEndedAt === null) return { name: "Since", value: began };
  const lasted = spanText(startedAt, endedAt);
  return { name: "Time", value: lasted === "0 s" ? began : `${began}, for ${lasted}` };
}

function linksOf(alert: AlertFacts, links: LinkSettings): readonly { readonly name: string; readonly url: string }[] {
  const url = eventLink(links, alert.eventId);
  if (url === undefined) return [];
  const { sign = (path) => path } = links;
  const picture = sign(`/api/detections/${alert.detectionId}/image`);
  return [
    { name: "Event details", url },
    ...(alert.detectionId === null ? [] : [{ name: "Full picture", url: `${links.publicUrl}${picture}` }]),
  ];
}

type Judged = Pick<AlertFacts, "analysisStatus" | "riskScore" | "riskLevel">;
/** The risk of an event, such as `82 of 100 (high)`. */
export const risk = ({ analysisStatus, riskScore, riskLevel }: Judged): string =>
  riskScore === null ? `no risk score${analysisStatus === "pending" ? " yet" : ""}` : `${riskScore} of 100 (${riskLevel})`;
const heldBackText = ({ cameraName, summary, eventId }: HeldBackEvent): string =>
  `${clean(cameraName)}: ${clean(summary) || `event ${eventId}`}`;
const moreText = (count: number, noun: string): string => pluralize(count, `more ${noun}`);
/** Writes the first letter as a capital. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
/** Makes a text fit a line. */
export const clean = (text: string): string => onOneLine(text, 2_000);

const shownParts = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;

/** Formats a time in the recipient's time zone: `Wed 1 Jul 2026 23:30`. */
function time(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, ...shownParts }).format(at).replaceAll(",", "");
}
