import type { Config } from "../src/config/config.ts";
import { channelAvailability } from "../src/notifications/channels.ts";
import type { Parts } from "./parts.ts";
import { createDeliveryWorker } from "./workers/delivery-worker.ts";
import { createDigestCloser } from "./workers/digest-closer.ts";
import type { Worker } from "./workers/worker.ts";

/** Which channels can be used, and for how long it is worth telling. */
export function deliverySettings(config: Config) {
  return { availability: channelAvailability(config), expiryHours: config.alertExpiryHours };
}

/** Makes the workers that tell people and other programs. */
export function createDelivering({ context, processId, lanes, metrics, wake }: Parts): readonly Worker[] {
  const { db, clock, log, config } = context;
  const deliveryWorker = createDeliveryWorker({
    context,
    processId,
    lanes,
    onStored: () => wake.journal(),
    onDone: (seconds) => metrics.stageDone("deliver", seconds),
  });
  const digestCloser = createDigestCloser({
    db,
    clock,
    delivery: deliverySettings(config),
    log,
    onClosed: () => {
      wake.journal();
      wake.jobs("deliver");
    },
  });
  return [deliveryWorker, digestCloser];
}
