import type { Database } from "../../platform/database/database.ts";
import { expiryOf, type NotificationSettings } from "../channels/availability.ts";
import { type ChannelTarget, targetsOf } from "../channels/targets.ts";
import { findHeldBack } from "../notifications/facts-repository.ts";
import { queueForTargets } from "../notifications/queue.ts";
import { endCooldown } from "./cooldowns-repository.ts";
import { closeDigest, dueDigests } from "./digests-repository.ts";

/**
 * Closes at most `limit` due digests. Each has a transaction that also queues its notifications and ends the cooldown: later events raise
 * an alert again, so that every suppressed event is in a digest. Returns how many digests were queued.
 */
export async function closeDueDigests(db: Database, delivery: NotificationSettings, now: Date, limit: number): Promise<number> {
  let sent = 0;
  for (const alertId of await db.query((sql) => dueDigests(sql, now, limit))) {
    await db.transaction(async (sql) => {
      await endCooldown(sql, alertId);
      const targets: ChannelTarget[] = [];
      for (const target of await targetsOf(sql, await closeDigest(sql, alertId, now), delivery.availability)) {
        // A suppressed event may have raised an alert since, at a higher risk level.
        if ((await findHeldBack(sql, { alertId, ...target }, 1)).count > 0) targets.push(target);
      }
      if (targets.length === 0) return;
      await queueForTargets(sql, { alertId, kind: "digest", expiresAt: expiryOf(delivery, now) }, targets, now);
      sent += 1;
    });
  }
  return sent;
}
