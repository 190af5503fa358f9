import type { Sql } from "../../platform/database/database.ts";
import type { Unsent } from "../delivery/channel.ts";
import type { Message } from "../delivery/message.ts";
import { quietUntil } from "../recipients/decision.ts";
import { findRecipient } from "../recipients/recipients-repository.ts";
import type { Notification } from "./notification.ts";

/** The beginning of the reason why a message waits for the hours of its recipient. */
export const outsideHours = "held back until the hours of ";

/**
 * Holds a message back outside of its recipient's hours. Undefined: it may be sent. The recipients of an alert were decided when it was
 * raised, so only messages that follow or list alerts wait here.
 */
export async function quiet(sql: Sql, notification: Notification, message: Message, now: Date): Promise<Unsent | undefined> {
  const { recipientId, kind, expiresAt } = notification;
  if (recipientId === null) return undefined;
  const recipient = await findRecipient(sql, recipientId);
  if (!recipient) return { kind: "ended", as: "cancelled", reason: "the recipient was removed" };
  if (kind === "alert" || kind === "repeat" || kind === "catch_up") return undefined;
  const until = quietUntil(recipient, message.alert?.severity, now);
  if (until === undefined) return undefined;
  const reason = `${outsideHours}${recipient.name} begin`;
  if (until > expiresAt) return { kind: "ended", as: "cancelled", reason: `the hours of ${recipient.name} begin too late for it` };
  return { kind: "waits", until, reason };
}
