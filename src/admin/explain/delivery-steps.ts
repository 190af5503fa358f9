import { pluralize } from "../../base/text/format.ts";
import type { DeliveryAttemptFacts, DeliveryFacts } from "./deliveries-repository.ts";
import { between, type Step, sentence } from "./step.ts";

/** Steps of a message to an outbound webhook: each request, then its state. */
export function deliverySteps(delivery: DeliveryFacts, attempts: readonly DeliveryAttemptFacts[], now: Date): Step[] {
  const own = attempts.filter(({ delivery_id }) => delivery_id === delivery.id);
  // the last attempt decided its state
  const at = delivery.delivered_at ?? own.at(-1)?.finished_at ?? delivery.created_at;
  return [...own.map((attempt) => attemptStep(delivery, attempt)), deliveryStep(delivery, at, now)];
}

function nameOf({ event_type, webhook_name }: DeliveryFacts): string {
  return `${event_type} to webhook "${webhook_name}"`;
}

function deliveryStep(delivery: DeliveryFacts, at: Date, now: Date): Step {
  const { id, webhook_name, response_time_ms, message_id, delivered_at, ...details } = delivery;
  const { status, status_code, error_message: error, attempt_count, next_retry_at, created_at } = details;
  const tries = `after ${pluralize(attempt_count, "attempt")}`;
  const next = next_retry_at && next_retry_at > now ? `next attempt in ${between(now, next_retry_at)}` : "next attempt in a moment";
  const why = error === null ? "." : `: ${sentence(error)}`;
  const state = {
    pending: `waits to be sent${why}`,
    retrying: `failed ${tries}, ${next}${why}`,
    success: `was delivered${delivered_at ? ` within ${between(created_at, delivered_at)}` : ""}${status_code === null ? "" : ` (HTTP ${status_code})`}.`,
    failed: `failed for good ${tries}${why}`,
  }[status];
  return {
    at,
    step: "webhook_delivery",
    status: ({ pending: "waiting", retrying: "waiting", success: "done", failed: "failed" } as const)[status],
    text: `${nameOf(delivery)} ${state}${delivery.by_rule ? " The rule names this webhook." : ""}`,
    details: { delivery_id: id, ...details },
  };
}

function attemptStep(delivery: DeliveryFacts, attempt: DeliveryAttemptFacts): Step {
  const { status_code, error } = attempt;
  const ok = error === null && status_code !== null && status_code >= 200 && status_code < 300;
  const answer = [status_code === null ? [] : [`HTTP ${status_code}`], error === null ? [] : [error]].flat().join(", ");
  return {
    at: attempt.finished_at,
    step: "webhook_attempt",
    status: ok ? "done" : "failed",
    text: `${nameOf(delivery)}, attempt ${attempt.attempt}, ${ok ? "was accepted" : "failed"} after ${between(attempt.started_at, attempt.finished_at)}: ${sentence(answer === "" ? "no answer was stored" : answer)}`,
    details: { ...attempt, event_id: delivery.event_id },
  };
}
