import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { outboundEventTypes } from "../../contract/constants.ts";
import type { OutboundEventType } from "../../contract/outbound-events.ts";
import { Problem } from "../../contract/problem.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { buryJob, type ClaimedJob, finishJob, releaseJob } from "../../work/jobs/jobs-repository.ts";
import type { Sender } from "../../work/jobs/sender.ts";
import { StageAborted } from "../../work/jobs/stage-aborted.ts";
import { storeOutcome } from "../../work/jobs/store-outcome.ts";
import { TemplateError } from "../templates/template.ts";
import { judge, type Outcome, unsendable } from "./attempt.ts";
import { templateFault } from "./definition.ts";
import { type DeliveryToSend, findDelivery, insertAttempt, updateDelivery } from "./deliveries-repository.ts";
import { createFaultLog } from "./fault-log.ts";
import { bodyOf, headersOf } from "./request.ts";
import { longestDelayMs, retryDelayMs } from "./retries.ts";
import { openWebhook, type StoredWebhook } from "./webhook.ts";
import { countAttempt, findWebhook, setEnabled } from "./webhooks-repository.ts";

/** A template that so often took too long does so by itself. */
const mostSlowRenderings = 3;
/** Retries let first attempts pass. */
const retryPriority = 10;

/** What the sender of deliveries works with. */
export interface DeliverySenderContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  /** Longest wait for a target, in milliseconds. */
  readonly timeoutMs: number;
  /** In which times are written in messages for people. */
  readonly timeZone: string;
  /** 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** An attempt came to its end. */
  readonly onAttempt: (outcome: "success" | "retry" | "failure") => void;
}

/**
 * Makes the sender of outbound webhooks: posts a delivery once, and stores the attempt, where the delivery has got to,
 * the webhook's counters and the fate of the job in one transaction. A delivery that was under way when the process was
 * killed is posted again, under the same `webhook-id`.
 */
export function createDeliverySender(context: DeliverySenderContext): Sender {
  const { db, clock } = context;
  const faults = createFaultLog(context.log);

  const run = async (id: string, job: ClaimedJob, signal: AbortSignal): Promise<void> => {
    const { delivery, stored } = await db.query(async (sql) => {
      const found = await findDelivery(sql, id);
      return { delivery: found, stored: found && (await findWebhook(sql, found.webhook_id)) };
    });
    if (!delivery || !stored || delivery.status === "success" || delivery.status === "failed") {
      await db.transaction((sql) => finishJob(sql, job));
      return;
    }
    const startedAt = clock.now();
    // every job is brought forward at a start, since the clock may have been set back while nobody ran
    const early = (delivery.next_retry_at?.getTime() ?? 0) - startedAt.getTime();
    if (early > 0) {
      const availableAt = new Date(startedAt.getTime() + Math.min(early, longestDelayMs));
      await db.transaction((sql) => releaseJob(sql, job, { availableAt, error: delivery.error_message, attempt: "free" }));
      return;
    }
    if (!stored.enabled) {
      const why = stored.disabled_reason === null ? "" : `: ${stored.disabled_reason}`;
      await end(delivery, job, `The webhook was disabled${why}; enable it and retry this delivery`, startedAt);
      return;
    }
    const request = requestOf(stored, delivery, job, startedAt);
    if ("fault" in request) {
      await end(delivery, job, request.fault, startedAt);
      return;
    }
    const outcome = "sealed" in request ? unsendable(request.sealed) : await post(stored.url, request, id, signal);
    const finishedAt = clock.now();
    const storeIt = () => db.transaction((sql) => store(sql, { delivery, job, url: stored.url, outcome, startedAt, finishedAt }));
    const status = await storeOutcome(storeIt, { clock, signal });
    if (!status) return;
    context.onAttempt(status);
    // never the whole address: in those of chat services the path is the secret
    const about = { ...traceOf(delivery), delivery: id, webhook: stored.id, host: new URL(stored.url).host };
    const attempt = { attempt: delivery.attempt_count + 1, status_code: outcome.statusCode, took_ms: outcome.responseMs };
    if (status === "success") {
      faults.arrived(stored.id);
      context.log.info({ ...about, ...attempt }, "a webhook was told");
    } else faults.failed({ ...about, ...attempt, error: outcome.error }, status);
  };

  const post = async (
    url: string,
    request: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
    id: string,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const answer = await context.outbound.post({ url, ...request, timeoutMs: context.timeoutMs, signal });
    // what was answered is stored even when the daemon stops: else it would be posted again
    if (answer.kind !== "answered" && signal.aborted) throw new StageAborted(`delivery ${id} was broken off`);
    return judge(answer);
  };

  const requestOf = (stored: StoredWebhook, delivery: DeliveryToSend, job: ClaimedJob, now: Date) => {
    try {
      const webhook = openWebhook(stored, context.sealer, now);
      const told = {
        eventType: typeOf(delivery.event_type),
        emittedAt: delivery.emitted_at,
        data: delivery.data,
        cameraName: delivery.camera_name,
        webhookId: webhook.id,
        deliveryId: delivery.id,
      };
      const body = bodyOf(webhook, told, context.timeZone);
      return { body, headers: headersOf(webhook, { id: delivery.message_id, time: now, body, trace: delivery.trace }) };
    } catch (error) {
      // a person gives the secret anew, or another daemon has the right key file
      if (error instanceof Problem) return { sealed: error.message };
      if (!(error instanceof TemplateError)) throw error;
      // a machine that was busy elsewhere may be what took the time
      if (error.name === "time" && job.attempts < mostSlowRenderings) throw error;
      return { fault: `The payload template failed: ${templateFault(error)}` };
    }
  };

  /** Stores an attempt. The webhook's row comes first in every transaction that takes several, so that none waits for another crosswise. */
  const store = async (
    sql: Sql,
    done: {
      readonly delivery: DeliveryToSend;
      readonly job: ClaimedJob;
      /** Which address the outcome is of. */
      readonly url: string;
      readonly outcome: Outcome;
      readonly startedAt: Date;
      readonly finishedAt: Date;
    },
  ): Promise<"success" | "retry" | "failure" | undefined> => {
    const { delivery, job, finishedAt } = done;
    const webhook = await findWebhook(sql, delivery.webhook_id, "lock");
    // deleted meanwhile, with this delivery and its job
    if (!webhook) return undefined;
    const outcome = webhook.url === done.url ? done.outcome : ofFormerAddress(done.outcome);
    const attempt = delivery.attempt_count + 1;
    const again = outcome.kind === "again" && attempt <= webhook.max_retries;
    const status = outcome.kind === "success" ? "success" : again ? "retrying" : "failed";
    const waitMs = retryDelayMs(attempt, {
      retryDelaySeconds: webhook.retry_delay_seconds,
      random: context.random(),
      retryAfter: outcome.retryAfter,
      now: finishedAt,
    });
    const nextRetryAt = again ? new Date(finishedAt.getTime() + waitMs) : null;
    await countAttempt(sql, webhook.id, { at: finishedAt, status });
    if (outcome.kind === "gone") await setEnabled(sql, webhook.id, false, outcome.error, finishedAt);
    await updateDelivery(sql, delivery.id, {
      status,
      status_code: outcome.statusCode,
      response_time_ms: outcome.responseMs,
      error_message: outcome.error,
      attempt_count: attempt,
      next_retry_at: nextRetryAt,
      delivered_at: status === "success" ? finishedAt : null,
    });
    await insertAttempt(sql, delivery.id, {
      attempt,
      started_at: done.startedAt,
      finished_at: finishedAt,
      status_code: outcome.statusCode,
      error: outcome.error,
      response: outcome.response,
    });
    if (status === "success") await finishJob(sql, job);
    else if (nextRetryAt === null) await buryJob(sql, job, outcome.error ?? "failed");
    else {
      // the delivery counts its attempts itself; those of the job are the ones that came to no end
      await releaseJob(sql, job, { availableAt: nextRetryAt, error: outcome.error, attempt: "free", priority: retryPriority });
    }
    return status === "success" ? "success" : again ? "retry" : "failure";
  };

  /** Ends a delivery as failed without an attempt. */
  const end = async (delivery: DeliveryToSend, job: ClaimedJob, error: string, now: Date): Promise<void> => {
    await db.transaction(async (sql) => {
      await countAttempt(sql, delivery.webhook_id, { at: now, status: "failed" });
      await updateDelivery(sql, delivery.id, { ...delivery, status: "failed", error_message: error, next_retry_at: null });
      await buryJob(sql, job, error);
    });
    context.onAttempt("failure");
    faults.failed({ ...traceOf(delivery), delivery: delivery.id, webhook: delivery.webhook_id, error }, "failure");
  };

  const giveUp = async (id: string, job: ClaimedJob, error: string): Promise<void> => {
    const delivery = await db.query((sql) => findDelivery(sql, id));
    if (delivery) await end(delivery, job, error, clock.now());
    else await db.transaction((sql) => finishJob(sql, job));
  };

  return { run, giveUp };
}

/** An address that was changed during the attempt says nothing final about the new one, nor how long to leave that alone. */
function ofFormerAddress(outcome: Outcome): Outcome {
  return outcome.kind === "success" ? outcome : { ...outcome, kind: "again", retryAfter: null };
}

/** What a delivery is about, for the log. */
function traceOf({ trace, event_type, event_id }: DeliveryToSend) {
  return { stage: "deliver", trace: trace ?? undefined, event_type, about: event_id };
}

function typeOf(text: string): OutboundEventType {
  const type = outboundEventTypes.find((known) => known === text);
  if (!type) throw new Error(`${text} is no event type of this version`);
  return type;
}
