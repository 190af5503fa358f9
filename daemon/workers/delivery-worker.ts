import { settleAlert } from "../../src/alerting/alerts/settle.ts";
import { createDeliveryEngine } from "../../src/alerting/delivery/engine.ts";
import { smtpTimeouts } from "../../src/alerting/email/smtp.ts";
import { createNotificationChannel } from "../../src/alerting/notifications/channel.ts";
import { createWebhookChannel } from "../../src/alerting/webhooks/channel.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { createDeliverStage } from "../../src/pipeline/deliver.ts";
import type { HandOver } from "../../src/platform/store/hand-over.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { createQueueWorker } from "./queue-worker.ts";

/**
 * That the process was killed under a message is hardly ever the fault of the message, and a message that is given up is
 * an alarm that nobody hears; so it is tried much more often than a picture, and yet not for ever.
 */
const maxAttempts = 100;

/**
 * Makes the worker that sends to the outside: each webhook and mail server is a lane that takes one message at a time, so
 * that none waits for another. `lanes` is the hand-over inside this process.
 */
export function createDeliveryWorker(options: {
  readonly context: OperationContext;
  readonly processId: string;
  readonly lanes: HandOver;
  /** Rows were written: the journal has entries to number. */
  readonly onStored: () => void;
  readonly metrics: Pick<Metrics, "stageDone" | "jobFailed" | "deliveryAttempted" | "notified">;
}) {
  const { context, processId, metrics } = options;
  const { config, db, clock, outbound, sealer } = context;
  const timeoutMs = config.webhookTimeoutSeconds * 1_000;
  const log = context.log.child({ worker: "delivery_worker" });
  const webhooks = createWebhookChannel({
    ...{ clock, outbound, sealer, timeoutMs, timeZone: localTimeZone(), random: Math.random },
    onAttempt: (outcome) => metrics.deliveryAttempted("outbound_webhook", outcome),
  });
  const notifications = createNotificationChannel({
    ...{ db, config, clock, outbound, settle: settleAlert, onStored: options.onStored },
    onAttempt: (channel, outcome, seconds) => {
      metrics.deliveryAttempted(channel, outcome);
      if (outcome === "success") metrics.notified(seconds);
    },
  });
  return createQueueWorker({
    name: "delivery_worker",
    queue: "deliver",
    critical: false,
    lanes: true,
    handOver: options.lanes,
    concurrency: config.deliverConcurrency,
    maxAttempts,
    // a mail that is too large for its server goes once more, without its picture
    leaseMs: Math.max(timeoutMs, 2 * (smtpTimeouts.total + smtpTimeouts.answer)) + 60_000,
    stage: createDeliverStage({
      delivery: createDeliveryEngine(webhooks, { db, clock, log }),
      notification: createDeliveryEngine(notifications, { db, clock, log }),
    }),
    capacity: () => Number.POSITIVE_INFINITY,
    db,
    processId,
    clock,
    log: context.log,
    onDone: (seconds, failed) => {
      metrics.stageDone("deliver", seconds);
      if (failed) metrics.jobFailed("deliver");
    },
  });
}
