import { severities } from "../../contract/constants.ts";
import type { PhoneMessage, Urgency } from "../channels/phone-message.ts";
import { dayLink, eventLink, type LinkSettings } from "../delivery/links.ts";
import type { AlertMessage, Message } from "../delivery/message.ts";
import { bySeverity, capital, clean, headline, risk, valuesFor, whyText } from "../email/content.ts";
import { summaryValues } from "../email/summary.ts";
import { spanText } from "../silences/silence.ts";
import { dateIn } from "../summaries/schedule.ts";

/** The time zone of the home, and how links are written. */
interface Place {
  readonly timeZone: string;
  readonly links: LinkSettings;
}

/** Writes a message for phones, without its picture. */
export function phoneMessage(message: Message, place: Place): Omit<PhoneMessage, "picture"> {
  return {
    id: message.notificationId,
    title: titleOf(message, place.timeZone),
    text: linesOf(message, place).join("\n"),
    urgency: urgencyOf(message),
    link: linkOf(message, place),
    pictureLink: pictureLinkOf(message, place.links),
    paths: pathsOf(message, place),
    topic: topicOf(message),
  };
}

function pathsOf(message: Message, { timeZone, links: { webEnabled, sign } }: Place): NonNullable<PhoneMessage["paths"]> {
  const here = { publicUrl: "", webEnabled, sign };
  return { page: linkOf(message, { links: here, timeZone }), picture: pictureLinkOf(message, here) };
}

function topicOf({ alert, silence, summary, catchUp }: Message): string {
  if (alert) return `event-${alert.eventId}`;
  if (catchUp) return `catch-up-${catchUp.catchUpId}`;
  return silence ? `silence-${silence.silenceId}` : `summary-${summary.day.date}`;
}

function linkOf(message: Message, { links, timeZone }: Place): string | undefined {
  if (message.summary) return dayLink(links, message.summary.day.date);
  if (message.catchUp) return dayLink(links, dateIn(timeZone, message.catchUp.since));
  return message.alert && !message.isTest ? eventLink(links, message.alert.eventId) : undefined;
}

/** Returns the highest severity of the rules that matched. Ends of incidents, updates of an alert that the phone has, and lists of
 * what was held back wake no one. */
export function urgencyOf(message: Message): Urgency {
  if (message.catchUp) return message.catchUp.severity === "low" ? "low" : "medium";
  if (!message.alert || message.endOf !== undefined || message.updateOf !== undefined) return "low";
  const ranks = [message.alert, ...message.joined].map(({ severity }) => severities.indexOf(severity));
  const urgency = severities[Math.max(...ranks)] ?? message.alert.severity;
  if (message.isTest) return "medium";
  return message.heldBack && urgency !== "low" ? "medium" : urgency;
}

/** Shorter than the subject of a mail: phones show few characters, and the time stands below. */
function titleOf(message: Message, timeZone: string): string {
  if (!message.alert) return headline(message, timeZone);
  const { alert, heldBack, endOf, updateOf, isTest, reminder } = message;
  if (isTest) return "Test message from homesec";
  const camera = clean(alert.cameraName);
  if (heldBack) return `${heldBack.count} more since the alert at ${camera}`;
  if (endOf !== undefined) return `Resolved: problem with camera ${camera}`;
  if (alert.eventKind === "event")
    return `${updateOf === undefined ? "" : "Update: "}${reminder === undefined ? "" : "Unanswered: "}${capital(alert.objectTypes[0] ?? "something")} at ${camera}`;
  return `${alert.incidentEndedAt === null ? "Problem" : "Resolved problem"} with camera ${camera}`;
}

function linesOf(message: Message, place: Place): readonly string[] {
  if (message.summary) {
    const { sections, late } = summaryValues(message, place);
    const lines = sections.flatMap(({ title, rows }) => rows.map(({ name, value }) => `${name ?? title}: ${value}`));
    return [...lines, ...(late === null ? [] : [late])];
  }
  const { summary, events, more } = valuesFor(message, place);
  const delay = message.late === undefined ? [] : [message.late];
  if (events) {
    const listed = events.map(({ time, risk: of, text }) => [time, of && `risk ${of}`, text].filter(Boolean).join(" · "));
    return [summary, ...listed, ...(more ? [more] : []), ...delay];
  }
  if (!message.alert || message.isTest) return [summary, ...delay];
  const reminder = message.reminder === undefined ? [] : [message.reminder];
  return [...reminder, factsLine(message, place.timeZone), summary, ...ruleLines(message), ...delay];
}

/** When it happened, for how long, and its risk. */
function factsLine({ alert }: AlertMessage, timeZone: string): string {
  const { eventKind, incidentEndedAt, startedAt, endedAt } = alert;
  const isOpen = eventKind === "camera_health" && incidentEndedAt === null;
  const lasted = isOpen ? "0 s" : spanText(startedAt, endedAt);
  const when = `${isOpen ? "Since " : ""}${shortTime(startedAt, timeZone)}${lasted === "0 s" ? "" : `, for ${lasted}`}`;
  if (eventKind === "camera_health") return when;
  return `${when} · ${alert.riskScore === null ? risk(alert) : `risk ${risk(alert)}`}`;
}

/** Each rule that matched, and why. */
function ruleLines({ alert, joined }: AlertMessage): readonly string[] {
  return [alert, ...joined].toSorted(bySeverity).map((rule) => {
    const why = whyText(rule);
    return `Rule ${clean(rule.ruleName)}${why === "" ? "" : `: ${why}`}`;
  });
}

/** Formats a time in the time zone of the home: `Wed 1 Jul, 23:30`. */
function shortTime(at: Date, timeZone: string): string {
  const parts = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
  const [day, month, date, time] = new Intl.DateTimeFormat("en-GB", { timeZone, ...parts }).format(at).replaceAll(",", "").split(" ");
  return `${day} ${month} ${date}, ${time}`;
}

function pictureLinkOf({ alert, heldBack }: Message, { publicUrl, sign = (path) => path }: LinkSettings): string | undefined {
  if (publicUrl === undefined || !alert || heldBack || alert.detectionId === null) return undefined;
  const path = sign(`/api/detections/${alert.detectionId}/image`);
  return `${publicUrl}${path}${path.includes("?") ? "&" : "?"}boxes=true`;
}

/** Formats a time for the phone, in the time zone of the home: `23:30`, with the day if it is another one. */
export function momentText(at: Date, now: Date, timeZone: string): string {
  const format = (parts: Intl.DateTimeFormatOptions, time: Date): string =>
    new Intl.DateTimeFormat("en-GB", { timeZone, ...parts }).format(time);
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  const clock = format({ hour: "2-digit", minute: "2-digit" }, at);
  return format(day, at) === format(day, now) ? clock : `${clock} on ${format(day, at)}`;
}
