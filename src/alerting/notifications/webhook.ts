import { z } from "zod";
import { EventOverview, SentSummary } from "../../contract/outbound-events.ts";
import { traceHeader } from "../../platform/outbound/headers.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import { outcomeOfAnswer } from "../delivery/http-outcome.ts";
import { type LinkSettings, withLinks } from "../delivery/links.ts";
import type { AlertMessage, HeldBackEvent, Message, SilenceMessage, SummaryMessage } from "../delivery/message.ts";
import type { Outcome } from "../delivery/outcome.ts";

/**
 * Writes the payload that is posted to DEFAULT_WEBHOOK_URL: what happened, the held-back events of a digest, the incident of an end, a
 * silence, or a day.
 */
function webhookPayload(message: Message, links: LinkSettings): object {
  const eventOf = (held: HeldBackEvent): object => overviewOf(message, held.eventId, links) ?? briefOf(held);
  if (message.summary) return summaryPayload(message);
  if (message.silence) return silencePayload(message, eventOf);
  if (message.catchUp) throw new Error("a recipient has no webhook");
  const { alert, heldBack, endOf, updateOf, createdAt } = message;
  const event = overviewOf(message, alert.eventId, links);
  return {
    type: typeOf(message),
    alert: { id: alert.alertId, event_id: alert.eventId, severity: alert.severity, dedup_key: alert.dedupKey },
    metadata: { rule_name: alert.ruleName, matched_conditions: alert.matchedConditions },
    timestamp: createdAt.toISOString(),
    ...(updateOf !== undefined && { updates: updateOf }),
    ...(event && { event }),
    ...(endOf !== undefined && {
      incident: {
        camera_id: alert.cameraId,
        started_at: alert.startedAt.toISOString(),
        ended_at: alert.endedAt.toISOString(),
        summary: alert.summary,
      },
    }),
    ...(heldBack && {
      held_back: { count: heldBack.count, events: heldBack.events.map(eventOf) },
    }),
  };
}

function summaryPayload({ summary, createdAt }: SummaryMessage): object {
  const { day, rest, missed, due_at } = z.encode(SentSummary, summary);
  return { type: "daily_summary", summary: day, since_then: rest, missed, due_at, timestamp: createdAt.toISOString() };
}

function typeOf({ heldBack, endOf, updateOf }: AlertMessage): string {
  if (heldBack) return "security_alert_digest";
  if (updateOf !== undefined) return "security_alert_update";
  return endOf === undefined ? "security_alert" : "security_alert_ended";
}

function silencePayload({ silence, heldBack, createdAt }: SilenceMessage, eventOf: (held: HeldBackEvent) => object): object {
  return {
    type: "silence_ended",
    silence: {
      id: silence.silenceId,
      camera_id: silence.cameraId,
      rule_id: silence.ruleId,
      rule_name: silence.ruleName,
      reason: silence.reason,
      created_at: silence.startedAt.toISOString(),
      ends_at: silence.endsAt.toISOString(),
      ended_at: silence.endedAt.toISOString(),
    },
    timestamp: createdAt.toISOString(),
    held_back: { count: heldBack.count, events: heldBack.events.map((event) => ({ ...eventOf(event), rule_name: event.ruleName })) },
  };
}

/** What happened in an event, as in every message of a webhook; undefined if the event was deleted meanwhile. */
function overviewOf({ events }: Message, eventId: number, links: LinkSettings): object | undefined {
  const event = events?.get(eventId);
  return event && withLinks(z.encode(EventOverview, event), links);
}

function briefOf({ eventId, cameraId, startedAt, riskScore, riskLevel, summary }: HeldBackEvent): object {
  return {
    event_id: eventId,
    camera_id: cameraId,
    started_at: startedAt.toISOString(),
    risk_score: riskScore,
    risk_level: riskLevel,
    summary,
  };
}

/**
 * Posts a notification. A retry has the same `webhook-id` and `idempotency-key`, and the same body unless the event was judged
 * meanwhile.
 */
export async function postNotification(
  message: Message,
  {
    outbound,
    url,
    links,
    timeoutMs,
    now,
  }: { outbound: Pick<Outbound, "post">; url: string; links: LinkSettings; timeoutMs: number; now: () => Date },
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = await outbound.post({
    url,
    headers: {
      ...traceHeader(message.alert?.trace),
      "content-type": "application/json",
      "webhook-id": message.notificationId,
      "idempotency-key": message.notificationId,
    },
    body: JSON.stringify(webhookPayload(message, links)),
    timeoutMs,
    signal,
  });
  return outcomeOfAnswer(answer, now());
}
