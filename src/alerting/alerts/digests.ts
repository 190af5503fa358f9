import type { Database } from "../../platform/database/database.ts";
import { expiryOf, type NotificationSettings } from "../notifications/channels.ts";
import { findHeldBack } from "../notifications/facts-repository.ts";
import { queueNotifications } from "../notifications/queue.ts";
import type { Channel } from "../rules/rule.ts";
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
      const channels: Channel[] = [];
      for (const channel of await closeDigest(sql, alertId, now)) {
        // A suppressed event may have raised an alert since, at a higher risk level.
        if ((await findHeldBack(sql, { alertId, channel }, 1)).count > 0) channels.push(channel);
      }
      if (channels.length === 0) return;
      await queueNotifications(sql, { alertId, kind: "digest", channels, expiresAt: expiryOf(delivery, now) }, delivery.availability, now);
      sent += 1;
    });
  }
  return sent;
}
