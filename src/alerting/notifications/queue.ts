import { randomUUID } from "node:crypto";
import type { Database, Sql } from "../../platform/database/database.ts";
import { hastenChannel } from "../../work/jobs/deliver-repository.ts";
import type { Channel, ChannelAvailability } from "./channels.ts";
import type { About, ChannelResult } from "./notification.ts";
import { cancelWaiting, insertNotifications, resultsOfAlerts } from "./notifications-repository.ts";
import { bringForward } from "./sending-repository.ts";

/** What is to be said, through which channels, and until when. */
export type NotificationOrder = About & {
  readonly channels: readonly Channel[];
  readonly expiresAt: Date;
};

/**
 * Stores a notification for each channel and has it sent, in the transaction that raised the alert or ended the silence. A channel that
 * cannot be used gets a row that says why.
 */
export async function queueNotifications(
  sql: Sql,
  { channels, ...order }: NotificationOrder,
  availability: ChannelAvailability,
  now: Date,
): Promise<readonly ChannelResult[]> {
  const rows = [...new Set(channels)].map((channel) => {
    const available = availability[channel];
    return { id: randomUUID(), channel, reason: available.usable ? null : available.reason };
  });
  await insertNotifications(sql, { ...order, rows }, now);
  return rows.map(({ channel, reason }) => ({
    channel,
    status: reason === null ? ("waiting" as const) : ("unusable" as const),
    reason,
    attempts: 0,
    late: false,
  }));
}

/**
 * Nobody needs to be told of this alert any more: what still waits is cancelled, in the transaction that ends the alert.
 * A digest is sent all the same: it says something else. What is being sent at this moment may still arrive.
 */
export async function cancelNotifications(sql: Sql, alertId: string, now: Date): Promise<void> {
  await cancelWaiting(sql, alertId, now);
}

/**
 * A channel works that did not, as far as we knew: what waits for it is sent now. Returns how many that is.
 */
export async function sendWaiting(db: Database, channel: Channel, now: Date): Promise<number> {
  await db.query((sql) => bringForward(sql, channel, now));
  return await db.query((sql) => hastenChannel(sql, channel, now));
}

/** How far each channel got with each of these alerts, digests aside; an alert without channels is left out. */
export async function channelResults(sql: Sql, alertIds: readonly string[]): Promise<ReadonlyMap<string, readonly ChannelResult[]>> {
  const results = new Map<string, ChannelResult[]>();
  for (const { alertId, ...result } of await resultsOfAlerts(sql, alertIds)) {
    results.set(alertId, [...(results.get(alertId) ?? []), result]);
  }
  return results;
}
