import type { z } from "zod";
import type { InfrastructureAlert } from "../../contract/live.ts";
import {
  mostSentAlerts,
  type ReceivedAlert as ReceivedAlertRecord,
  type SentAlert,
  type SentAlerts,
} from "../../contract/routes/alert-receiver.ts";
import { unstorable } from "../../contract/text.ts";

export type ReceivedAlert = z.output<typeof ReceivedAlertRecord>;

/** An alert as stored, before repeats are counted. */
export type AlertFacts = Omit<ReceivedAlert, "first_received_at" | "last_received_at" | "received_count">;

/** In characters. Texts that all alerts of a message share are stored, sent and logged with each of them. */
const longestName = 200;
const longestAddress = 2_000;
const longestText = 10_000;
/** Of the summaries and descriptions of a whole message: live clients and the journal get them a second time. */
const longestTexts = 1024 * 1024;

/** Reads one alert of a message, with defaults for missing labels. Long texts are cut; labels and annotations keep the full text. */
export function factsOf(message: z.output<typeof SentAlerts>, alert: z.output<typeof SentAlert>): AlertFacts {
  const { labels, annotations } = alert;
  const longest = Math.min(longestText, Math.floor(longestTexts / (2 * Math.min(message.alerts.length, mostSentAlerts))));
  const name = (label: string): string | undefined => labels[label] && cutTo(longestName, labels[label]);
  return {
    fingerprint: alert.fingerprint,
    status: alert.status,
    alertname: name("alertname") ?? "unknown",
    severity: name("severity") ?? "info",
    component: name("component") ?? "unknown",
    camera_id: name("camera_id") ?? null,
    summary: cutTo(longest, annotations["summary"] ?? ""),
    description: cutTo(longest, annotations["description"] ?? ""),
    labels,
    annotations,
    started_at: alert.startsAt,
    // Go programs write "no time" as year 1.
    ended_at: alert.endsAt && alert.endsAt.getUTCFullYear() > 1 ? alert.endsAt : null,
    generator_url: alert.generatorURL || null,
    receiver: cutTo(longestName, message.receiver),
    group_key: cutTo(Math.min(longest, longestAddress), message.groupKey),
    external_url: cutTo(Math.min(longest, longestAddress), message.externalURL),
  };
}

/** Cuts a long text and appends an ellipsis, never in the middle of a character. */
export function cutTo(longest: number, text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Returns the message for live clients. */
export function broadcastOf(facts: AlertFacts): z.output<typeof InfrastructureAlert> {
  const { alertname, status, severity, component, summary, description, started_at, fingerprint, receiver } = facts;
  return { alertname, status, severity, component, summary, description, started_at, fingerprint, receiver };
}

/** Chooses the log level: a critical alert that fires is an error, a warning is a warning, a resolved alert is information. */
export function logLevelOf({ status, severity }: Pick<AlertFacts, "status" | "severity">): "error" | "warn" | "info" {
  if (status === "resolved") return "info";
  switch (severity.toLowerCase()) {
    case "critical":
      return "error";
    case "warning":
    case "high":
      return "warn";
    default:
      return "info";
  }
}

/** In bytes: an index of the database takes keys of 2,700 at most. */
const longestFingerprint = 1_000;

/** Returns why an alert cannot be stored, or undefined if it can. */
export function whyUnstorable(facts: AlertFacts): string | undefined {
  if (Buffer.byteLength(facts.fingerprint) > longestFingerprint) return `its fingerprint has more than ${longestFingerprint} bytes`;
  for (const [name, time] of [["startsAt", facts.started_at] as const, ["endsAt", facts.ended_at] as const]) {
    const year = time?.getUTCFullYear() ?? 1;
    if (year < 1 || year > 9999) return `its ${name} is outside of the years 1 to 9999`;
  }
  const { fingerprint, generator_url, labels, annotations } = facts;
  const texts = [fingerprint, generator_url ?? "", ...[labels, annotations].flatMap((map) => Object.entries(map).flat())];
  const problem = texts.map(unstorable).find((why) => why !== undefined);
  return problem && `one of its texts cannot be stored: ${problem}`;
}
