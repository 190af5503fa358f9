import { channelAvailability } from "../src/alerting/notifications/channels.ts";
import { alertsText, scopeText } from "../src/alerting/silences/silence.ts";
import type { Config } from "../src/platform/config/config.ts";
import type { Parts } from "./parts.ts";
import type { RecentEvents } from "./recent-events.ts";
import { createDeliveryWorker } from "./workers/delivery-worker.ts";
import { createDigestCloser } from "./workers/digest-closer.ts";
import type { Worker } from "./workers/worker.ts";

/** Which channels can be used, and for how long it is worth telling. */
export function deliverySettings(config: Config) {
  return { availability: channelAvailability(config), expiryHours: config.alertExpiryHours };
}

/** Makes the workers that tell people and other programs. */
export function createDelivering(
  { context, processId, lanes, metrics }: Parts,
  recentEvents: RecentEvents,
): { readonly deliveryWorker: Worker; readonly digestCloser: Worker } {
  const { db, clock, log, config } = context;
  const deliveryWorker = createDeliveryWorker({
    context,
    processId,
    lanes,
    onStored: () => {},
    metrics,
  });
  const digestCloser = createDigestCloser({
    db,
    clock,
    delivery: deliverySettings(config),
    log,
    onClosed: () => {},
    onSilenceOver: (silence) => {
      const { id, reason, held_back: heldBack } = silence;
      const message = `the silence of ${scopeText(silence)} is over; it held back ${alertsText(heldBack)}`;
      log.info({ silence: id, reason, heldBack }, message);
      recentEvents.add("alerts", "silence_ended", message);
    },
  });
  return { deliveryWorker, digestCloser };
}
