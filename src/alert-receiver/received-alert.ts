import type { z } from "zod";
import type { InfrastructureAlert } from "../contract/live.ts";
import type { ReceivedAlert as ReceivedAlertRecord, SentAlert, SentAlerts } from "../contract/routes/alert-receiver.ts";
import { unstorable } from "../contract/text.ts";

export type ReceivedAlert = z.output<typeof ReceivedAlertRecord>;

/** An alert as it is stored, before it has been counted. */
export type AlertFacts = Omit<ReceivedAlert, "first_received_at" | "last_received_at" | "received_count">;

/** What a message says of one alert, with what stands in for labels that are missing. */
export function factsOf(message: z.output<typeof SentAlerts>, alert: z.output<typeof SentAlert>): AlertFacts {
  const { labels, annotations } = alert;
  return {
    fingerprint: alert.fingerprint,
    status: alert.status,
    alertname: labels["alertname"] ?? "unknown",
    severity: labels["severity"] ?? "info",
    component: labels["component"] ?? "unknown",
    camera_id: labels["camera_id"] ?? null,
    summary: annotations["summary"] ?? "",
    description: annotations["description"] ?? "",
    labels,
    annotations,
    started_at: alert.startsAt,
    // a Go program writes "no time" as year 1
    ended_at: alert.endsAt && alert.endsAt.getUTCFullYear() > 1 ? alert.endsAt : null,
    generator_url: alert.generatorURL || null,
    receiver: message.receiver,
    group_key: message.groupKey,
    external_url: message.externalURL,
  };
}

/** What live clients are told of it. */
export function broadcastOf(facts: AlertFacts): z.output<typeof InfrastructureAlert> {
  const { alertname, status, severity, component, summary, description, started_at, fingerprint, receiver } = facts;
  return { alertname, status, severity, component, summary, description, started_at, fingerprint, receiver };
}

/** How loud the log tells of it: a critical alert that fires is an error, a warning a warning; all that is resolved is good news. */
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

/** In bytes: an index of the database holds keys of 2,700 at most. */
const longestFingerprint = 1_000;

/** Why an alert cannot be stored, or undefined. */
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
