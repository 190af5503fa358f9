import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { isCaughtUp } from "../notifications/catch-ups-repository.ts";
import { channelResults } from "../notifications/queue.ts";
import { reasonPending } from "./alert.ts";
import { lockAlert, updateProgress } from "./alerts-repository.ts";

/**
 * Updates an alert after a channel stored an outcome, in the same transaction: a pending alert becomes delivered once one channel has
 * sent it, or a message that caught up on it. An acknowledged or dismissed alert stays as it is.
 */
export async function settleAlert(sql: Sql, alertId: string, now: Date): Promise<void> {
  const alert = await lockAlert(sql, alertId);
  if (!alert) return;
  // Read only after the lock: another channel may have finished meanwhile.
  const channels = (await channelResults(sql, [alertId])).get(alertId) ?? [];
  const isPending = alert.status === "pending";
  const isDelivered = isPending && (channels.some(({ status }) => status === "sent") || (await isCaughtUp(sql, alertId)));
  const status = isDelivered ? "delivered" : alert.status;
  const reason =
    isPending && !isDelivered ? (reasonPending(channels) ?? (channels.length === 0 ? alert.alert_metadata.reason : null)) : null;
  const settled = await updateProgress(sql, alertId, { status, channels, reason }, now);
  if (settled && isDelivered) await appendToJournal(sql, [{ type: "alert_delivered", data: settled }], now);
}
