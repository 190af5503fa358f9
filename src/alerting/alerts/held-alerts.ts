import { emitAboutEvents } from "../../monitoring/events/messages.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { expiryOf, type NotificationSettings } from "../channels/availability.ts";
import { webhooksNamedBy } from "../channels/targets.ts";
import { reasonPending } from "./alert.ts";
import { endAlert, updateProgress } from "./alerts-repository.ts";
import { endCooldown } from "./cooldowns-repository.ts";
import { closeDigest } from "./digests-repository.ts";
import { dueHeld, endHold, type HeldAlert, heldExceptIn } from "./held-repository.ts";
import { notifyOfAlert } from "./notify.ts";

/** Notifies recipients and webhooks of at most `limit` alerts whose entry delay is over, each in its own transaction. */
export async function releaseHeldAlerts(db: Database, delivery: NotificationSettings, now: Date, limit: number): Promise<void> {
  for (const held of await db.query((sql) => dueHeld(sql, now, limit))) {
    await db.transaction((sql) => release(sql, held, delivery, now));
  }
}

async function release(sql: Sql, { id, channels }: HeldAlert, delivery: NotificationSettings, now: Date): Promise<void> {
  const order = { alertId: id, kind: "alert", channels, expiresAt: expiryOf(delivery, now) } as const;
  const nothing = { results: [], withheld: null };
  const { results, withheld } = channels.length === 0 ? nothing : await notifyOfAlert(sql, order, delivery.availability, now);
  // Notifications are locked before alerts (decision 8), so an alert that was ended meanwhile takes them back
  if (!(await endHold(sql, id))) throw new Error(`alert ${id} was ended when its entry delay was over`);
  const status = channels.length === 0 ? "delivered" : "pending";
  const alert = await updateProgress(sql, id, { status, channels: results, reason: reasonPending(results, withheld) }, now);
  if (!alert) return;
  if (status === "delivered") await appendToJournal(sql, [{ type: "alert_delivered", data: alert }], now);
  const webhookIds = await webhooksNamedBy(sql, channels);
  await emitAboutEvents(sql, [{ type: "alert_fired", subject: id, about: alert.event_id, data: alert, webhookIds }], now);
}

/**
 * Cancels the alerts that wait for an entry delay and whose rules do not alert in the new mode: they are dismissed, and no one is notified.
 * Their cooldowns and digests end, so the next event raises an alert. The caller has locked the state of the mode.
 */
export async function cancelHeldAlerts(
  sql: Sql,
  { mode, previous, by }: { readonly mode: string; readonly previous: string; readonly by: string | null },
  now: Date,
): Promise<void> {
  const reason = `${by === null ? "the home" : by} switched to ${mode} within the entry delay of ${previous}`;
  for (const id of await heldExceptIn(sql, mode)) {
    await endCooldown(sql, id);
    await closeDigest(sql, id, now);
    const ended = await endAlert(sql, id, { status: "dismissed", channels: [], by: by ?? undefined, reason }, now);
    if (ended) await appendToJournal(sql, [{ type: "alert_dismissed", data: ended }], now);
  }
}
