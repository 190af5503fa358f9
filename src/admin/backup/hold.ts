import { dropHolds } from "../../alerting/alerts/held-repository.ts";
import { settleAlert } from "../../alerting/alerts/settle.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type HoldingRestore, insertRestore } from "../../work/outbox/restores-repository.ts";
import { dropSummaries, holdDeliveries, holdJobs, holdNotifications } from "./hold-repository.ts";

/**
 * Holds back everything that the restored database would send about the time before the restore, in the transaction of the restore.
 * Messages that were outstanding become dead letters of the queue `deliver`; digests, and summaries of silences that have ended, are
 * dropped. Events that are over raise no alerts later (`restores`). Returns the number of outstanding messages.
 */
export async function holdBack(sql: Sql, restore: HoldingRestore): Promise<number> {
  const { restoredAt } = restore;
  const reason = `held back: the database was restored at ${restoredAt.toISOString()} from a backup of ${restore.backupCreatedAt.toISOString()}`;
  await insertRestore(sql, restore);
  const { alertIds, messages } = await holdNotifications(sql, reason, restoredAt);
  const deliveries = await holdDeliveries(sql, reason);
  await holdJobs(sql, reason);
  await dropSummaries(sql, restoredAt);
  await dropHolds(sql);
  for (const alertId of alertIds) await settleAlert(sql, alertId, restoredAt);
  return messages + deliveries;
}
