import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { channelResults } from "../notifications/queue.ts";
import { reasonPending } from "./alert.ts";
import { lockAlert, updateProgress } from "./alerts-repository.ts";

/**
 * Updates an alert after a channel stored an outcome, in the same transaction: a pending alert becomes delivered once one channel has
 * sent it. An acknowledged or dismissed alert stays as it is.
 */
export async function settleAlert(sql: Sql, alertId: string, now: Date): Promise<void> {
  const alert = await lockAlert(sql, alertId);
  if (!alert) return;
  // Read only after the lock: another channel may have finished meanwhile.
  const channels = (await channelResults(sql, [alertId])).get(alertId) ?? [];
  const isPending = alert.status === "pending";
  const isDelivered = isPending && channels.some(({ status }) => status === "sent");
  const status = isDelivered ? "delivered" : alert.status;
  const reason = isPending && !isDelivered ? reasonPending(channels) : null;
  const settled = await updateProgress(sql, alertId, { status, channels, reason }, now);
  if (settled && isDelivered) await appendToJournal(sql, [{ type: "alert_delivered", data: settled }], now);
}
