import { createDailySummary, type SummarySettings } from "../../src/alerting/alerts/daily-summary.ts";
import { channelAvailability, type NotificationSettings } from "../../src/alerting/channels/availability.ts";
import { alertsText, scopeText } from "../../src/alerting/silences/silence.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import { createDeliveryWorker } from "../workers/delivery-worker.ts";
import { createDigestCloser } from "../workers/digest-closer.ts";
import type { Worker } from "../workers/loop.ts";
import type { WorkerContext } from "./worker-context.ts";

/** Returns the usable channels and the retry period of notifications. Both are read at each use, since the configuration may change. */
export function deliverySettings(config: Config): NotificationSettings {
  return {
    get availability() {
      return channelAvailability(config);
    },
    get expiryHours() {
      return config.alertExpiryHours;
    },
  };
}

/** Returns the settings of the daily summary, read at each use. */
function summarySettings(config: Config): SummarySettings {
  return {
    get at() {
      return config.dailySummaryAt;
    },
    get channels() {
      return config.dailySummaryChannels;
    },
    get availability() {
      return channelAvailability(config);
    },
    timeZone: localTimeZone(),
  };
}

/** Creates the workers that deliver notifications and webhooks, and close digests and silences. */
export function createDelivering(
  workerContext: WorkerContext,
  recentEvents: RecentEvents,
): { readonly deliveryWorker: Worker; readonly digestCloser: Worker } {
  const { db, clock, log, config } = workerContext.context;
  const digestCloser = createDigestCloser({
    db,
    clock,
    delivery: deliverySettings(config),
    dailySummary: createDailySummary(summarySettings(config), { db, log }),
    log,
    onSilenceOver: (silence) => {
      const { id, reason, held_back: heldBack } = silence;
      const message = `the silence for ${scopeText(silence)} has ended; it muted ${alertsText(heldBack)}`;
      log.info({ silence: id, reason, heldBack }, message);
      recentEvents.add("alerts", "silence_ended", message);
    },
  });
  return { deliveryWorker: createDeliveryWorker(workerContext), digestCloser };
}
