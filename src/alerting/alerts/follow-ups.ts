import { randomUUID } from "node:crypto";
import type { Database, Sql } from "../../platform/database/database.ts";
import { expiryOf, type NotificationSettings } from "../channels/availability.ts";
import { type NamedChannel, namedChannels } from "../channels/channels-repository.ts";
import { type ChannelTarget, targetsOfRecipient } from "../channels/targets.ts";
import { insertCatchUp } from "../notifications/catch-ups-repository.ts";
import { queueForTargets } from "../notifications/queue.ts";
import { decide, nextRepeat, quietUntil } from "../recipients/decision.ts";
import {
  channelsWith,
  type Due,
  dueRecipients,
  insertDecision,
  lockDue,
  storeNext,
  tryToFollowUp,
} from "../recipients/decisions-repository.ts";
import type { Recipient } from "../recipients/recipient.ts";
import { findRecipient, recipientNamed } from "../recipients/recipients-repository.ts";
import { decisionOf, freshTargets } from "./notify.ts";

/** The services of one transaction. */
interface Round {
  readonly sql: Sql;
  readonly delivery: NotificationSettings;
  readonly phones: readonly NamedChannel[];
  readonly now: Date;
}

/**
 * Does what is due for the recipients of alerts: repeats critical alerts, notifies the next recipient, and sends what was held back once
 * the hours begin. Each recipient has a transaction, which also stores what is due next, so a crash neither loses nor doubles a message.
 */
export async function followUp(db: Database, delivery: NotificationSettings, now: Date, limit: number): Promise<void> {
  for (const id of await db.query((sql) => dueRecipients(sql, now, limit))) {
    await db.transaction(async (sql) => {
      if (!(await tryToFollowUp(sql))) return;
      const recipient = await findRecipient(sql, id);
      const due = await lockDue(sql, id, now, limit);
      const phones = due.length > 0 ? await namedChannels(sql) : [];
      await followUpFor({ sql, delivery, phones, now }, { id, recipient }, due);
    });
  }
}

async function followUpFor(
  round: Round,
  { id, recipient }: { readonly id: string; readonly recipient: Recipient | undefined },
  due: readonly Due[],
): Promise<void> {
  const held: Due[] = [];
  for (const row of due) {
    const key = { alertId: row.alertId, recipientId: id };
    if (!row.isOpen || !recipient?.enabled) {
      await storeNext(round.sql, key, { dueAt: null, escalateAt: null });
      continue;
    }
    if (row.isEscalating) {
      await escalate(round, recipient, row);
      await storeNext(round.sql, key, { escalateAt: null });
    }
    if (!row.isDue) continue;
    if (row.decision === "held_back") held.push(row);
    else await repeat(round, recipient, row);
  }
  if (recipient && held.length > 0) await catchUp(round, recipient, held);
}

/** Notifies the next recipient, unless the alert reached this one before. */
async function escalate(round: Round, { name, escalate_to: nextName }: Recipient, row: Due): Promise<void> {
  const { sql, now } = round;
  const next = nextName === null ? undefined : await recipientNamed(sql, nextName);
  if (!next) return;
  const decision = decide(next, row, now);
  const isFirst = await insertDecision(
    sql,
    decisionOf(next, { alertId: row.alertId, alert: row, decision, escalatedFrom: name }, now),
    now,
  );
  if (!isFirst || decision.kind !== "notified") return;
  const used = await channelsWith(sql, { alertId: row.alertId, kind: "alert", round: 0 });
  await queue(round, { alertId: row.alertId, kind: "alert" }, freshTargets(targetsOf(round, next), used));
}

/** Repeats a critical alert. A Pushover message repeats on its own, so it is left out. */
async function repeat(round: Round, recipient: Recipient, row: Due): Promise<void> {
  const { sql, now, phones } = round;
  const { alertId, severity, repeats } = row;
  const key = { alertId, recipientId: recipient.id };
  const isUnwanted = repeats >= recipient.repeat_times || quietUntil(recipient, severity, now) !== undefined;
  if (isUnwanted) return await storeNext(sql, key, { dueAt: null });
  const count = repeats + 1;
  const used = await channelsWith(sql, { alertId, kind: "repeat", round: count });
  const pushover = phones.filter(({ kind }) => kind === "pushover").map(({ name }) => name);
  const targets = freshTargets(targetsOf(round, recipient), [...used, ...pushover]);
  await queue(round, { alertId, kind: "repeat", round: count }, targets);
  await storeNext(sql, key, { dueAt: nextRepeat(recipient, severity, count, now) ?? null, repeats: count });
}

/** Sends one message about everything that was held back, unless the hours were changed and have not begun. */
async function catchUp(round: Round, recipient: Recipient, held: readonly Due[]): Promise<void> {
  const { sql, now } = round;
  const until = quietUntil(recipient, undefined, now);
  for (const { alertId } of held) await storeNext(sql, { alertId, recipientId: recipient.id }, { dueAt: until ?? null });
  if (until) return;
  const id = randomUUID();
  const alertIds = held.map(({ alertId }) => alertId);
  await insertCatchUp(sql, { id, recipientId: recipient.id, recipient: recipient.name, alertIds }, now);
  await queue(round, { catchUpId: id, kind: "catch_up" }, targetsOf(round, recipient));
}

const targetsOf = ({ phones, delivery }: Round, recipient: Recipient): readonly ChannelTarget[] =>
  targetsOfRecipient(recipient, phones, delivery.availability);

type Subject =
  | { readonly alertId: string; readonly kind: "alert" | "repeat"; readonly round?: number }
  | { readonly catchUpId: string; readonly kind: "catch_up" };

async function queue({ sql, delivery, now }: Round, subject: Subject, targets: readonly ChannelTarget[]): Promise<void> {
  if (targets.length === 0) return;
  await queueForTargets(sql, { ...subject, expiresAt: expiryOf(delivery, now) }, targets, now);
}
