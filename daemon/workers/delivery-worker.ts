import { settleAlert } from "../../src/alerting/alerts/settle.ts";
import { createDeliveryEngine } from "../../src/alerting/delivery/engine.ts";
import { withSignature } from "../../src/alerting/delivery/links.ts";
import { smtpTimeouts } from "../../src/alerting/email/smtp.ts";
import { createNotificationChannel } from "../../src/alerting/notifications/channel.ts";
import { createEditChannel } from "../../src/alerting/notifications/edit-channel.ts";
import { createWebhookChannel } from "../../src/alerting/webhooks/channel.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { createDeliverStage } from "../../src/pipeline/deliver.ts";
import { signAddress } from "../../src/platform/secrets/signed-address.ts";
import type { JobDispatcher } from "../../src/platform/store/job-dispatcher.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { createQueueWorker } from "./queue-worker.ts";

/**
 * A message hardly ever crashes the process, and a message that is never sent may be a missed alarm. So it gets far more attempts than a
 * picture before it fails.
 */
const maxAttempts = 100;

/**
 * Creates the worker that delivers notifications and webhooks. The mail server and each webhook have their own queue, which sends one
 * message at a time, so a slow target does not delay the others.
 */
export function createDeliveryWorker({
  context,
  processId,
  deliveryDispatcher,
  metrics,
}: {
  readonly context: OperationContext;
  readonly processId: string;
  readonly deliveryDispatcher: JobDispatcher;
  readonly metrics: Pick<Metrics, "stageDone" | "jobFailed" | "deliveryAttempted" | "notified">;
}) {
  const { config, db, clock, outbound, sealer } = context;
  const timeoutMs = config.webhookTimeoutSeconds * 1_000;
  const log = context.log.child({ worker: "delivery_worker" });
  const sign = (path: string): string => signAddress(path, sealer, clock.now());
  const links = config.mediaRequiresKey ? withSignature(config, sign) : config;
  const webhooks = createWebhookChannel({
    ...{ clock, outbound, sealer, timeoutMs, timeZone: localTimeZone(), random: Math.random },
    ...{ links, settle: settleAlert },
    onAttempt: (outcome) => metrics.deliveryAttempted("outbound_webhook", outcome),
  });
  const notifications = createNotificationChannel({
    ...{ db, config, clock, outbound, sealer, links, settle: settleAlert },
    onAttempt: (channel, outcome, seconds) => {
      metrics.deliveryAttempted(channel, outcome);
      if (outcome === "success") metrics.notified(seconds);
    },
  });
  return createQueueWorker({
    name: "delivery_worker",
    queue: "deliver",
    critical: false,
    subQueues: true,
    dispatcher: deliveryDispatcher,
    concurrency: config.deliverConcurrency,
    maxAttempts,
    // An email that is too large for its server is sent again without its picture.
    leaseMs: Math.max(timeoutMs, 2 * (smtpTimeouts.total + smtpTimeouts.answer)) + 60_000,
    stage: createDeliverStage({
      delivery: createDeliveryEngine(webhooks, { db, clock, log }),
      notification: createDeliveryEngine(notifications, { db, clock, log }),
      edit: createDeliveryEngine(createEditChannel({ db, config, clock, outbound, sealer, links }), { db, clock, log }),
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
