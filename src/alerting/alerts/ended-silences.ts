import type { Database } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { type Delivery, expiryOf } from "../notifications/delivery.ts";
import { queueNotifications } from "../notifications/queue.ts";
import { channelsOfSilenced, dueEnds, lockUntold, markTold } from "../silences/ending-repository.ts";
import type { Silence } from "../silences/silence.ts";
import { findSilence } from "../silences/silences-repository.ts";

/**
 * Takes up the end of at most `limit` silences, by time or by hand, each in a transaction of its own: tells clients of an end by time, and has the people
 * told whom alerts would have reached, through each channel once. A silence that hid nothing tells nobody. Returns the records of those that this call took up.
 */
export async function takeUpEnds(db: Database, delivery: Delivery, now: Date, limit: number): Promise<readonly Silence[]> {
  const taken: Silence[] = [];
  for (const id of await db.query((sql) => dueEnds(sql, now, limit))) {
    const silence = await db.transaction(async (sql) => {
      // only when the lock is there is all known that it hid: who hides something holds the row until that is stored
      const untold = await lockUntold(sql, id);
      if (!untold) return undefined;
      await markTold(sql, id, now);
      const record = await findSilence(sql, id, now);
      if (!record) return undefined;
      // who ends one by hand tells of it at once
      if (!untold.byHand) await appendToJournal(sql, [{ type: "silence.ended", data: record }], now);
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
