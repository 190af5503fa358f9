import type { Database } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { expiryOf, type NotificationSettings } from "../channels/availability.ts";
import { queueNotifications } from "../notifications/queue.ts";
import { channelsOfSilenced, dueEnds, lockUnprocessedEnd, markEndProcessed } from "../silences/ending-repository.ts";
import type { Silence } from "../silences/silence.ts";
import { findSilence } from "../silences/silences-repository.ts";

/**
 * Processes at most `limit` silences that have ended, on schedule or by hand, each in its own transaction. Announces a scheduled end to
 * clients, and sends one summary through each channel that the muted alerts would have used. A silence that muted nothing sends no
 * summary. Returns the records of the silences that this call processed.
 */
export async function processEndedSilences(
  db: Database,
  delivery: NotificationSettings,
  now: Date,
  limit: number,
): Promise<readonly Silence[]> {
  const taken: Silence[] = [];
  for (const id of await db.query((sql) => dueEnds(sql, now, limit))) {
    const silence = await db.transaction(async (sql) => {
      // Read only after the lock: a transaction that mutes an alert holds the row until it has stored that.
      const ended = await lockUnprocessedEnd(sql, id);
      if (!ended) return undefined;
      await markEndProcessed(sql, id, now);
      const record = await findSilence(sql, id, now);
      if (!record) return undefined;
      // A person who ends a silence has already announced it.
      if (!ended.byHand) await appendToJournal(sql, [{ type: "silence.ended", data: record }], now);
      const channels = await channelsOfSilenced(sql, id);
      if (channels.length > 0) {
        const order = { silenceId: id, kind: "silence", channels, expiresAt: expiryOf(delivery, now) } as const;
        await queueNotifications(sql, order, delivery.availability, now);
      }
      return record;
    });
    if (silence) taken.push(silence);
  }
  return taken;
}
