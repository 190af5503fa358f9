import { randomUUID } from "node:crypto";
import type { Database, Sql } from "../../platform/database/database.ts";
import { promoteChannel } from "../../work/jobs/deliver-repository.ts";
import type { ChannelAvailability } from "../channels/availability.ts";
import { type ChannelTarget, targetsOf } from "../channels/targets.ts";
import type { About, ChannelResult } from "./notification.ts";
import { insertNotifications, resultsOfAlerts } from "./notifications-repository.ts";
import { bringForward } from "./sending-repository.ts";

/** A notification to queue: its subject, its channels, and until when homesec retries it. */
export type NotificationOrder = About & {
  /** As rules name them. */
  readonly channels: readonly string[];
  readonly expiresAt: Date;
  /** The judgement of the event that the messages wait for, until `dueAt`. */
  readonly judgement?: { readonly eventId: number; readonly dueAt: Date } | null;
};

/**
 * Stores a notification for each channel, with the job that sends it, in the transaction that raises the alert or ends the silence. `push`
 * becomes one notification for each channel to phones. A channel that cannot be used gets a row that says why. A webhook that is named
 * gets alerts and daily summaries, by the outbox, and nothing else.
 */
export async function queueNotifications(
  sql: Sql,
  { channels, ...order }: NotificationOrder,
  availability: ChannelAvailability,
  now: Date,
): Promise<readonly ChannelResult[]> {
  return await queueForTargets(sql, order, await targetsOf(sql, channels, availability), now);
}

/** The same for targets that are known already. */
export async function queueForTargets(
  sql: Sql,
  order: Omit<NotificationOrder, "channels"> & About,
  targets: readonly ChannelTarget[],
  now: Date,
): Promise<readonly ChannelResult[]> {
  const sent = order.kind === "alert" || order.kind === "summary" ? targets : targets.filter(({ webhookId }) => webhookId === undefined);
  const rows = [...new Map(sent.filter(isNotification).map((target) => [keyOf(target), { id: randomUUID(), ...target }])).values()];
  if (rows.length > 0) await insertNotifications(sql, { ...order, rows }, now);
  return sent.map(({ channel, reason }) => ({
    channel,
    status: reason === null ? ("waiting" as const) : ("unusable" as const),
    reason,
    attempts: 0,
    late: false,
  }));
}

/** A webhook that cannot be used has no delivery: the notification says why. */
const isNotification = ({ webhookId, reason }: ChannelTarget): boolean => webhookId === undefined || reason !== null;

/** Webhooks may share a name, but an alert has one notification for each. */
const keyOf = ({ channel, channelId }: ChannelTarget): string => channelId ?? channel;

/**
 * Makes the waiting notifications of a channel due now, since the channel works again. Returns how many there are.
 */
export async function sendWaiting(db: Database, target: Pick<ChannelTarget, "channel" | "channelId">, now: Date): Promise<number> {
  await db.query((sql) => bringForward(sql, target, now));
  return await db.query((sql) => promoteChannel(sql, target, now));
}

/** Returns the results of each alert's channels, without digests. An alert without channels has no entry. */
export async function channelResults(sql: Sql, alertIds: readonly string[]): Promise<ReadonlyMap<string, readonly ChannelResult[]>> {
  const results = new Map<string, ChannelResult[]>();
  for (const { alertId, ...result } of await resultsOfAlerts(sql, alertIds)) {
    results.set(alertId, [...(results.get(alertId) ?? []), result]);
  }
  return results;
}
