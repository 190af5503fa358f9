import type { Clock } from "../../base/clock/clock.ts";
import { outboundEventTypes } from "../../contract/constants.ts";
import type { OutboundEventType } from "../../contract/outbound-events.ts";
import { Problem } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { longestDelayMs, webhookDelayMs } from "../delivery/backoff.ts";
import type { Attempted, Channel, Rendered, Result, Run, Stored } from "../delivery/channel.ts";
import type { LogEntry } from "../delivery/fault-log.ts";
import { outcomeOfAnswer } from "../delivery/http-outcome.ts";
import type { LinkSettings } from "../delivery/links.ts";
import type { Counted, Outcome } from "../delivery/outcome.ts";
import { TemplateError } from "../templates/template.ts";
import { templateFault } from "./definition.ts";
import { type DeliveryToSend, findDelivery, storeAttempted, updateDelivery } from "./deliveries-repository.ts";
import { postWebhook, type WebhookRequest as Request, requestFor } from "./request.ts";
import { openWebhook, type StoredWebhook } from "./webhook.ts";
import { countAttempt, findWebhook, setEnabled } from "./webhooks-repository.ts";

/** A template that ran out of time in this many attempts is too slow, however busy the machine is. */
const mostSlowRenderings = 3;
/** Behind first attempts. */
const retryPriority = 10;

export interface WebhookChannelContext {
  readonly clock: Clock;
  readonly outbound: Pick<Outbound, "post">;
  readonly sealer: Sealer;
  /** Longest wait for a target, in milliseconds. */
  readonly timeoutMs: number;
  /** Time zone of the times in chat messages. */
  readonly timeZone: string;
  /** PUBLIC_URL may change while the daemon runs. */
  readonly links: LinkSettings;
  /** Updates an alert to what its channels did, in the transaction that stores an outcome. */
  readonly settle: (sql: Sql, alertId: string, now: Date) => Promise<unknown>;
  /** Returns 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Counts an attempt, or a delivery that ended without one. */
  readonly onAttempt: (outcome: Counted) => void;
}

type AttemptedAt = Attempted<Request> & { readonly at: Date };

/** A delivery and the webhook that it goes to. */
interface Item {
  readonly delivery: DeliveryToSend;
  readonly webhook: StoredWebhook;
}

/**
 * Makes the channel of outbound webhooks. A delivery is `pending`, `retrying` while its webhook allows more attempts, then `success` or
 * `failed`. A webhook that answers 410 is disabled; deliveries to a disabled webhook fail without an attempt.
 */
export function createWebhookChannel(context: WebhookChannelContext): Channel<Item, Request> {
  return {
    load: async (sql, id) => {
      const delivery = await findDelivery(sql, id);
      if (!delivery || delivery.status === "success" || delivery.status === "failed") return undefined;
      const webhook = await findWebhook(sql, delivery.webhook_id);
      return webhook && { delivery, webhook };
    },
    render: async (item, run) => render(item, run, context),
    send: async (request, signal) => {
      const answer = await postWebhook(context.outbound, request, { timeoutMs: context.timeoutMs, signal });
      // An address that homesec may not call now is not allowed a minute later either
      if (answer.kind === "refused") return { kind: "failed", answer: answer.error };
      return outcomeOfAnswer(answer, context.clock.now());
    },
    store: async (sql, item, result) => {
      const stored = await store(sql, item, result, context.random());
      // The rule of the alert names the webhook, so the alert is delivered once the webhook has it
      const { by_rule, event_type, event_id } = item.delivery;
      if (by_rule && event_type === "alert_fired" && result.kind !== "waits") await context.settle(sql, event_id, result.at);
      return stored;
    },
    afterCommit: (item, result, { counted }) => {
      if (counted === undefined) return undefined;
      context.onAttempt(counted);
      return entryOf(item, result, counted);
    },
    recovered: (webhook, failures) => ({
      fields: { webhook, given_up: failures },
      text: `webhook works again${failures > 0 ? "; `homesec dlq requeue deliver` sends the deliveries that failed meanwhile" : ""}`,
    }),
  };
}

function render({ delivery, webhook: stored }: Item, { job, startedAt }: Run, context: WebhookChannelContext): Rendered<Request> {
  // Each start of the daemon brings all jobs forward, since the clock may have been set back; the delivery knows its real time
  const earlyMs = (delivery.next_retry_at?.getTime() ?? 0) - startedAt.getTime();
  if (earlyMs > 0) {
    return { kind: "waits", until: new Date(startedAt.getTime() + Math.min(earlyMs, longestDelayMs)), reason: delivery.error_message };
  }
  if (!stored.enabled) {
    const why = stored.disabled_reason === null ? "" : `: ${stored.disabled_reason}`;
    return { kind: "ended", as: "failed", reason: `The webhook was disabled${why}; enable it and retry this delivery` };
  }
  try {
    const webhook = openWebhook(stored, context.sealer, startedAt);
    const event = {
      eventType: typeOf(delivery.event_type),
      emittedAt: delivery.emitted_at,
      data: delivery.data,
      cameraName: delivery.camera_name,
      deliveryId: delivery.id,
      withoutPicture: delivery.attempt_count > 0,
    };
    const place = { timeZone: context.timeZone, links: context.links };
    const message = { ...place, id: delivery.message_id, time: startedAt, trace: delivery.trace };
    return { kind: "request", request: requestFor(webhook, event, message) };
  } catch (error) {
    // You can enter the secret again, or another daemon has the right key file
    if (error instanceof Problem) return { kind: "outcome", outcome: { kind: "again", answer: error.message } };
    if (!(error instanceof TemplateError)) throw error;
    // A busy machine may be what took the time
    if (error.name === "time" && job.attempts < mostSlowRenderings) throw error;
    return { kind: "ended", as: "failed", reason: `The payload template failed: ${templateFault(error)}` };
  }
}

/** The webhook's row is locked first in every transaction that changes several rows, then the delivery, then the job. */
async function store(sql: Sql, item: Item, result: Result<Request>, random: number): Promise<Stored | undefined> {
  if (result.kind === "waits") {
    const { until: availableAt, reason: error } = result;
    return { job: { kind: "release", availableAt, error, attempt: "free" }, counted: undefined };
  }
  if (result.kind === "attempted" && result.outcome.kind === "sent") return await storeSent(sql, item, result);
  const webhook = await findWebhook(sql, item.webhook.id, "lock");
  if (!webhook) return undefined;
  if (result.kind === "attempted") return await storeAttempt(sql, { item, webhook, attempted: result, at: result.at, random });
  const { delivery } = item;
  const error = result.reason ?? "it was cancelled";
  await countAttempt(sql, webhook.id, { at: result.at, status: "failed" });
  await updateDelivery(sql, delivery.id, { ...delivery, status: "failed", error_message: error, next_retry_at: null });
  return { job: { kind: "bury", error }, counted: "failure" };
}

/** A message that arrived is stored the same whatever the webhook's row says now, so nothing is read for it. */
async function storeSent(sql: Sql, { delivery, webhook }: Item, { outcome, startedAt, at }: AttemptedAt): Promise<Stored | undefined> {
  const attempt = delivery.attempt_count + 1;
  const status_code = outcome.response?.status ?? null;
  const isStored = await storeAttempted(sql, {
    deliveryId: delivery.id,
    webhookId: webhook.id,
    to: {
      status: "success",
      status_code,
      response_time_ms: outcome.response?.ms ?? null,
      error_message: null,
      attempt_count: attempt,
      next_retry_at: null,
      delivered_at: at,
    },
    attempt: { attempt, started_at: startedAt, finished_at: at, status_code, error: null, response: outcome.response?.body ?? null },
  });
  return isStored ? { job: { kind: "finish" }, counted: "success" } : undefined;
}

async function storeAttempt(
  sql: Sql,
  done: {
    readonly item: Item;
    /** Its current row, locked. */
    readonly webhook: StoredWebhook;
    readonly attempted: Attempted<Request>;
    readonly at: Date;
    readonly random: number;
  },
): Promise<Stored> {
  const { item, webhook, attempted, at } = done;
  const outcome = webhook.url === item.webhook.url ? attempted.outcome : ofFormerAddress(attempted.outcome);
  const attempt = item.delivery.attempt_count + 1;
  const retryMs =
    outcome.kind === "again" && attempt <= webhook.max_retries
      ? webhookDelayMs(attempt, webhook.retry_delay_seconds, outcome, done.random)
      : undefined;
  const nextRetryAt = retryMs === undefined ? null : new Date(at.getTime() + retryMs);
  const { answer: error, response } = outcome;
  if (outcome.kind === "failed" && outcome.isGone) await setEnabled(sql, webhook.id, false, outcome.answer, at);
  await storeAttempted(sql, {
    deliveryId: item.delivery.id,
    webhookId: webhook.id,
    to: {
      status: nextRetryAt ? "retrying" : "failed",
      status_code: response?.status ?? null,
      response_time_ms: response?.ms ?? null,
      error_message: error,
      attempt_count: attempt,
      next_retry_at: nextRetryAt,
      delivered_at: null,
    },
    attempt: {
      attempt,
      started_at: attempted.startedAt,
      finished_at: at,
      status_code: response?.status ?? null,
      error,
      response: response?.body ?? null,
    },
  });
  if (!nextRetryAt) return { job: { kind: "bury", error: outcome.answer }, counted: "failure" };
  // The delivery counts its attempts; the job counts only those that came to no outcome
  const release = { kind: "release", availableAt: nextRetryAt, error, attempt: "free", priority: retryPriority } as const;
  return { job: release, counted: "retry" };
}

/** The URL was changed during the attempt: the answer of the old address is neither final for the new one nor a wait that it asked for. */
function ofFormerAddress(outcome: Outcome): Outcome {
  if (outcome.kind === "sent") return outcome;
  return { kind: "again", answer: outcome.answer, ...(outcome.response && { response: outcome.response }) };
}

/** Names the host only: the path of a chat service's address is a secret. */
function entryOf({ delivery, webhook }: Item, result: Result<Request>, counted: Counted): LogEntry {
  const outcome = result.kind === "attempted" ? result.outcome : undefined;
  const reason = counted === "success" ? null : result.kind === "attempted" ? result.outcome.answer : result.reason;
  const fields = {
    ...{ stage: "deliver", trace: delivery.trace ?? undefined, event_type: delivery.event_type, about: delivery.event_id },
    ...{ delivery: delivery.id, webhook: webhook.id },
    ...(outcome && {
      host: new URL(webhook.url).host,
      attempt: delivery.attempt_count + 1,
      status_code: outcome.response?.status ?? null,
      took_ms: outcome.response?.ms ?? null,
    }),
    ...(reason !== null && { error: reason }),
  };
  const texts = {
    success: "webhook delivered",
    retry: "webhook delivery failed; retrying",
    failure: "webhook delivery failed for good; it is in the dead letters of the queue deliver",
  };
  return { counted, target: webhook.id, level: counted === "success" ? "info" : "warn", text: texts[counted], fields, reason };
}

function typeOf(text: string): OutboundEventType {
  const type = outboundEventTypes.find((known) => known === text);
  if (!type) throw new Error(`${text} is no event type of this version`);
  return type;
}
