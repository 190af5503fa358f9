import type { Sql } from "../../platform/database/database.ts";
import type { ChannelAvailability } from "../channels/availability.ts";
import { namedChannels } from "../channels/channels-repository.ts";
import { type ChannelTarget, chosenRecipients, chosenTargets, isNeutral, keyOf, targetsOfRecipient } from "../channels/targets.ts";
import type { ChannelResult } from "../notifications/notification.ts";
import { type NotificationOrder, queueForTargets, queueNotifications } from "../notifications/queue.ts";
import { type Decision, decide, escalationAt, nextRepeat, type Told } from "../recipients/decision.ts";
import { factsOfAlert, insertDecision, type NewDecision } from "../recipients/decisions-repository.ts";
import type { Recipient } from "../recipients/recipient.ts";
import { listRecipients } from "../recipients/recipients-repository.ts";

/** The results of the channels, and why the recipients without a message have none; null if there is no such recipient. */
export interface Notified {
  readonly results: readonly ChannelResult[];
  readonly withheld: string | null;
}

/**
 * Queues the messages about a new alert in the transaction that raises or releases it: for the channels that its rule names, and for each
 * recipient that wants it now. Stores the decision about each recipient, with what is due next.
 */
export async function notifyOfAlert(
  sql: Sql,
  order: NotificationOrder & { readonly kind: "alert" },
  availability: ChannelAvailability,
  now: Date,
): Promise<Notified> {
  const words = order.channels;
  const alert = words.every(isNeutral) ? undefined : await factsOfAlert(sql, order.alertId);
  const { recipients, others } = chosenRecipients(words, alert ? await listRecipients(sql) : []);
  if (!alert || recipients.length === 0) return { results: await queueNotifications(sql, order, availability, now), withheld: null };
  const known = await namedChannels(sql);
  const targets = new Map(chosenTargets(others, known, availability).map((target) => [keyOf(target), target]));
  const withheld: string[] = [];
  for (const recipient of recipients) {
    const decision = decide(recipient, alert, now);
    await insertDecision(sql, decisionOf(recipient, { alertId: order.alertId, alert, decision, escalatedFrom: null }, now), now);
    if (decision.kind !== "notified") {
      withheld.push(`${recipient.name}: ${reasonOf(decision)}`);
      continue;
    }
    for (const target of targetsOfRecipient(recipient, known, availability)) {
      if (!targets.has(keyOf(target))) targets.set(keyOf(target), target);
    }
  }
  return {
    results: await queueForTargets(sql, order, [...targets.values()], now),
    withheld: withheld.join("; ") || null,
  };
}

/** Returns the row of a decision. An alert that the recipient does not want neither repeats nor escalates. */
export function decisionOf(
  recipient: Recipient,
  {
    alertId,
    alert,
    decision,
    escalatedFrom,
  }: { readonly alertId: string; readonly alert: Told; readonly decision: Decision; readonly escalatedFrom: string | null },
  now: Date,
): NewDecision {
  const isWanted = decision.kind !== "left_out";
  const next = decision.kind === "held_back" ? decision.until : isWanted ? nextRepeat(recipient, alert.severity, 0, now) : undefined;
  return {
    ...{ alertId, recipientId: recipient.id, recipient: recipient.name, decision: decision.kind, escalatedFrom },
    reason: reasonOf(decision),
    dueAt: next ?? null,
    escalateAt: (isWanted ? escalationAt(recipient, now) : undefined) ?? null,
  };
}

function reasonOf(decision: Decision): string | null {
  if (decision.kind === "notified") return null;
  return decision.kind === "left_out" ? decision.reason : `outside the hours until ${decision.until.toISOString()}`;
}

/** The targets of a recipient that do not have a message yet. */
export function freshTargets(targets: readonly ChannelTarget[], used: readonly string[]): readonly ChannelTarget[] {
  return targets.filter(({ channel }) => !used.includes(channel));
}
