import type { Outbound, OutboundAnswer } from "../../platform/outbound/outbound.ts";
import { retryAfterMs } from "../../platform/outbound/retry-after.ts";
import { traceHeader } from "../../platform/outbound/trace.ts";
import type { HeldBackEvent, Message, SilenceMessage } from "../delivery/message.ts";
import type { Outcome } from "../delivery/outcome.ts";

/**
 * What is posted to DEFAULT_WEBHOOK_URL: the document's payload, for a digest also what was held back, for an end what is over; of a silence what it was,
 * and what it hid.
 */
function webhookPayload(message: Message): object {
  if (message.silence) return silencePayload(message);
  const { alert, heldBack, endOf, createdAt } = message;
  return {
    type: heldBack ? "security_alert_digest" : endOf === undefined ? "security_alert" : "security_alert_ended",
    alert: { id: alert.alertId, event_id: alert.eventId, severity: alert.severity, dedup_key: alert.dedupKey },
    metadata: { rule_name: alert.ruleName, matched_conditions: alert.matchedConditions },
    timestamp: createdAt.toISOString(),
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

function silencePayload({ silence, heldBack, createdAt }: SilenceMessage): object {
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

function eventOf({ eventId, cameraId, startedAt, riskScore, riskLevel, summary }: HeldBackEvent): object {
  return {
    event_id: eventId,
    camera_id: cameraId,
    started_at: startedAt.toISOString(),
    risk_score: riskScore,
    risk_level: riskLevel,
    summary,
  };
}

/** Posts a notification. A repetition is the same to the byte, and carries the same `webhook-id` and `idempotency-key`. */
export async function postNotification(
  message: Message,
  { outbound, url, timeoutMs, now }: { outbound: Pick<Outbound, "post">; url: string; timeoutMs: number; now: () => Date },
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
    body: JSON.stringify(webhookPayload(message)),
    timeoutMs,
    signal,
  });
  return outcomeOfPost(answer, now());
}

/** What an answer means: 2xx is success, 410 says that nobody is there any more; all else may pass, or a person may mend it. */
function outcomeOfPost(answer: OutboundAnswer, now: Date): Outcome {
  if (answer.kind === "refused") return { kind: "again", answer: answer.error, misconfigured: true };
  if (answer.kind === "unreachable") return { kind: "again", answer: answer.error };
  const { status } = answer;
  const text = `the webhook answered ${status}`;
  if (status >= 200 && status < 300) return { kind: "sent", answer: text };
  if (status === 410) return { kind: "failed", answer: `${text}: it is gone` };
  const waitMs = retryAfterMs(answer.retryAfter, now);
  const isTransient = status >= 500 || status === 408 || status === 425 || status === 429;
  return { kind: "again", answer: text, ...(!isTransient && { misconfigured: true as const }), ...(waitMs > 0 && { waitMs }) };
}
