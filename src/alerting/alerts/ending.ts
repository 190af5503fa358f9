import { emitAboutEvents } from "../../monitoring/events/messages.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { insertEdits } from "../notifications/edits-repository.ts";
import { cancelNotifications } from "../notifications/notifications-repository.ts";
import { channelResults } from "../notifications/queue.ts";
import type { Alert } from "./alert.ts";
import { endAlert } from "./alerts-repository.ts";

/** How a person ends an alert, and who it was; undefined without a name. */
export interface AlertEnd {
  readonly status: "acknowledged" | "dismissed";
  readonly by: string | undefined;
}

/**
 * Acknowledges or dismisses an alert in the caller's transaction: cancels its waiting messages, changes the sent ones on phones, and
 * reports it to clients and webhooks.
 * Returns the record, or undefined if there is no such open alert. The caller must not hold a lock on an alert, since notifications are
 * locked first (decision 8).
 */
export async function endOpenAlert(sql: Sql, id: string, { status, by }: AlertEnd, now: Date): Promise<Alert | undefined> {
  await cancelNotifications(sql, id, now);
  const channels = (await channelResults(sql, [id])).get(id) ?? [];
  const ended = await endAlert(sql, id, { status, channels, by }, now);
  if (!ended) return undefined;
  await insertEdits(sql, { alertId: id }, now);
  const type = status === "acknowledged" ? "alert_acknowledged" : "alert_dismissed";
  await appendToJournal(sql, [{ type, data: ended }], now);
  await emitAboutEvents(sql, [{ type, subject: id, about: ended.event_id, data: ended }], now);
  return ended;
}
