import { pluralize } from "../../base/text/format.ts";
import type { SentSummary } from "../../contract/outbound-events.ts";

/** A summary lists this many cameras and problems, and counts the rest. */
const mostRows = 20;

type Day = SentSummary["day"];

/** A line of a section. Without a name, the value says all. */
interface Row {
  readonly name: string | null;
  readonly value: string;
}

/** A part of the summary under one title. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Writes the first line: `Thu 26 Nov: 12 events, 2 alerts`. */
export function summaryHeadline({ date, events, alerts }: Pick<Day, "date" | "events" | "alerts">): string {
  const seen = events.total === 0 ? "no events" : pluralize(events.total, "event");
  return `${dateText(date)}: ${seen}, ${alerts.total === 0 ? "no alerts" : pluralize(alerts.total, "alert")}`;
}

/** Writes a day in sections. Those without content are left out, except what was seen, alerted, and the state of the cameras. */
export function daySections(day: Day, timeZone: string): readonly Section[] {
  const sections: readonly Section[] = [
    { title: "Seen", rows: seenRows(day) },
    { title: "Alerts", rows: [plain(alertsText(day))] },
    { title: "Hidden", rows: listed(hiddenTexts(day)) },
    { title: "Camera problems", rows: problemRows(day, timeZone) },
    { title: "Waiting now", rows: listed(pendingTexts(day)) },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}

/** Writes a summary that is sent: its day, what no other summary covers, and the days without one. */
export function sentSections(summary: SentSummary, timeZone: string): readonly Section[] {
  const { day, missed } = summary;
  const [seen, ...others] = daySections(day, timeZone);
  const sections: readonly (Section | undefined)[] = [
    seen,
    restSection(summary, timeZone),
    ...others,
    { title: "No summary was sent for", rows: missed === null ? [] : [plain(missedText(missed))] },
  ];
  return sections.filter((section) => section !== undefined && section.rows.length > 0) as readonly Section[];
}

const plain = (value: string): Row => ({ name: null, value });
const listed = (texts: readonly string[]): readonly Row[] => (texts.length === 0 ? [] : [plain(texts.join(", "))]);
const some = (count: number, text: string): readonly string[] => (count === 0 ? [] : [text]);

function seenRows({ cameras }: Day): readonly Row[] {
  const seen = cameras.filter(({ events }) => events > 0);
  const rows = seen.slice(0, mostRows).map(({ camera_name, events, classes }) => {
    const counts = classes.map(({ object_type, events: count }) => `${object_type} ${count}`);
    return { name: camera_name, value: `${pluralize(events, "event")}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}` };
  });
  const more = seen.length > mostRows ? [plain(`${seen.length - mostRows} more cameras`)] : [];
  if (seen.length === 0) return [plain("Nothing")];
  const quiet = cameras.filter(({ events }) => events === 0).map(({ camera_name }) => camera_name);
  return [...rows, ...more, ...some(quiet.length, `Nothing at ${quiet.slice(0, mostRows).join(", ")}`).map(plain)];
}

function alertsText({ alerts: { total, acknowledged, dismissed, open } }: Day): string {
  if (total === 0) return "None";
  const states = [
    ...some(open, `${open} open`),
    ...some(acknowledged, `${acknowledged} acknowledged`),
    ...some(dismissed, `${dismissed} dismissed`),
  ];
  return `${total}: ${states.join(", ")}`;
}

function hiddenTexts({ hidden: { silenced, masked, parked } }: Day): readonly string[] {
  return [
    ...some(silenced, `${pluralize(silenced, "alert")} muted by silences`),
    ...some(masked, `${pluralize(masked, "detection")} at ignored spots`),
    ...some(parked, `${pluralize(parked, "detection")} of parked vehicles`),
  ];
}

function problemRows({ problems, started_at, ended_at }: Day, timeZone: string): readonly Row[] {
  if (problems.length === 0) return [plain("None")];
  const when = (at: Date): string => (at >= started_at && at < ended_at ? clock(at, timeZone) : dateAndClock(at, timeZone));
  const rows = problems.slice(0, mostRows).map(({ camera_name, reason, started_at: from, ended_at: to }) => {
    const span = to === null ? `since ${when(from)}, not over` : `${when(from)} to ${when(to)}`;
    return { name: camera_name, value: `${reason} (${span})` };
  });
  return [...rows, ...some(Math.max(0, problems.length - mostRows), `${problems.length - mostRows} more`).map(plain)];
}

function pendingTexts({ pending: { pictures, judgements, messages, failed } }: Day): readonly string[] {
  return [
    ...some(pictures, pluralize(pictures, "picture")),
    ...some(judgements, `${pluralize(judgements, "event")} without a score`),
    // This message waits while it is sent
    ...some(messages, pluralize(messages, "message")),
    ...some(failed, `${pluralize(failed, "failed job")} (homesec dlq list)`),
  ];
}

/** The night before a summary in the morning, or the evening that the last summary in the evening did not cover. */
function restSection({ rest, day }: SentSummary, timeZone: string): Section {
  const isNight = rest.started_at >= day.ended_at;
  const title = isNight ? "Since midnight" : `From ${clock(rest.started_at, timeZone)} to midnight`;
  if (rest.started_at >= rest.ended_at) return { title, rows: [] };
  const texts = [...some(rest.events, pluralize(rest.events, "event")), ...some(rest.alerts, pluralize(rest.alerts, "alert"))];
  return { title, rows: [plain(texts.join(", ") || "Nothing")] };
}

function missedText({ first, last }: NonNullable<SentSummary["missed"]>): string {
  return first === last ? dateText(first) : `${dateText(first)} to ${dateText(last)}`;
}

/** Formats a date: `Thu 26 Nov`. */
function dateText(date: string): string {
  const parts = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat("en-GB", parts).format(new Date(date)).replaceAll(",", "");
}

function clock(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone }).format(at);
}

function dateAndClock(at: Date, timeZone: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone }).format(at);
  return `${day.replaceAll(",", "")}, ${clock(at, timeZone)}`;
}
