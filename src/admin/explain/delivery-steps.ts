import { pluralize } from "../../base/text/format.ts";
import type { DeliveryAttemptFacts, DeliveryFacts } from "./deliveries-repository.ts";
import { between, type Step, sentence } from "./step.ts";

/** Steps of a message to an outbound webhook: each request, then its state. */
export function deliverySteps(delivery: DeliveryFacts, attempts: readonly DeliveryAttemptFacts[], now: Date): Step[] {
  const own = attempts.filter(({ deliveryId }) => deliveryId === delivery.deliveryId);
  // the last attempt decided its state
  const at = delivery.deliveredAt ?? own.at(-1)?.finishedAt ?? delivery.createdAt;
  return [...own.map((attempt) => attemptStep(delivery, attempt)), deliveryStep(delivery, at, now)];
}

function nameOf({ eventType, webhookName }: DeliveryFacts): string {
  return `${eventType} to webhook "${webhookName}"`;
}

function deliveryStep(delivery: DeliveryFacts, at: Date, now: Date): Step {
  const { status, statusCode, error, attemptCount, nextRetryAt } = delivery;
  const tries = `after ${pluralize(attemptCount, "attempt")}`;
  const next = nextRetryAt && nextRetryAt > now ? `next attempt in ${between(now, nextRetryAt)}` : "next attempt in a moment";
  const why = error === null ? "." : `: ${sentence(error)}`;
  const state = {
    pending: `waits to be sent${why}`,
    retrying: `failed ${tries}, ${next}${why}`,
    success: `was delivered${delivery.deliveredAt ? ` within ${between(delivery.createdAt, delivery.deliveredAt)}` : ""}${statusCode === null ? "" : ` (HTTP ${statusCode})`}.`,
    failed: `failed for good ${tries}${why}`,
  }[status];
  return {
    at,
    step: "webhook_delivery",
    status: ({ pending: "waiting", retrying: "waiting", success: "done", failed: "failed" } as const)[status],
    text: `${nameOf(delivery)} ${state}`,
    details: {
      delivery_id: delivery.deliveryId,
      webhook_id: delivery.webhookId,
      event_type: delivery.eventType,
      event_id: delivery.subject,
      status,
      status_code: statusCode,
      error_message: error,
      attempt_count: attemptCount,
      next_retry_at: nextRetryAt,
      created_at: delivery.createdAt,
      retry_of: delivery.retryOf,
    },
  };
}

function attemptStep(delivery: DeliveryFacts, attempt: DeliveryAttemptFacts): Step {
  const { statusCode, error } = attempt;
  const ok = error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;
  const answer = [statusCode === null ? [] : [`HTTP ${statusCode}`], error === null ? [] : [error]].flat().join(", ");
  return {
    at: attempt.finishedAt,
    step: "webhook_attempt",
    status: ok ? "done" : "failed",
    text: `${nameOf(delivery)}, attempt ${attempt.attempt}, ${ok ? "was accepted" : "failed"} after ${between(attempt.startedAt, attempt.finishedAt)}: ${sentence(answer === "" ? "no answer was stored" : answer)}`,
    details: {
      delivery_id: attempt.deliveryId,
      event_id: delivery.subject,
      attempt: attempt.attempt,
      started_at: attempt.startedAt,
      finished_at: attempt.finishedAt,
      status_code: statusCode,
      error,
      response: attempt.response,
    },
  };
}
