import { timingSafeEqual } from "node:crypto";
import { hourMs } from "../../base/clock/clock.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { PhoneButton } from "../channels/phone-message.ts";
import type { Message } from "../delivery/message.ts";

/** The effects of the buttons of an alert. The order is part of their tokens. */
export const answerActions = ["acknowledge", "silence", "dismiss"] as const;

/** `silence` mutes the camera of the alert for an hour; `dismiss` says that the alert is not interesting. */
export type AnswerAction = (typeof answerActions)[number];

/** For how long the button mutes a camera. */
export const silencedMinutes = 60;

/** The buttons as phones show them. */
export const answerLabels: Readonly<Record<AnswerAction, string>> = {
  acknowledge: "Acknowledge",
  silence: "Silence 1 h",
  dismiss: "Not interesting",
};

type Signer = Pick<Sealer, "sign">;

/** A button works for this time after its message was sent. */
export const answerableForMs = 24 * hourMs;

/** The content of a button. */
export interface AnswerToken {
  readonly action: AnswerAction;
  /** The message that has the button. */
  readonly notificationId: string;
  readonly expiresAt: Date;
}

/** A token that was read. `forged`: homesec did not write it. `late`: it did, and the button's time is over. */
export type ReadToken = { readonly kind: "valid" | "late"; readonly token: AnswerToken } | { readonly kind: "forged" };

/** Bytes of the action, of the message's UUID, of the end in seconds, and of the signature, which is cut: Telegram takes 64 characters. */
const [actionBytes, idBytes, endBytes, signatureBytes] = [1, 16, 4, 16];
const contentBytes = actionBytes + idBytes + endBytes;

const signatureOf = (content: Buffer, signer: Signer): Buffer =>
  signer.sign("answer to an alert", content.toString("base64url")).subarray(0, signatureBytes);

/** Writes a token: 50 characters of base64url, which only someone with the key file can make. */
export function writeToken({ action, notificationId, expiresAt }: AnswerToken, signer: Signer): string {
  const content = Buffer.alloc(contentBytes);
  content.writeUInt8(answerActions.indexOf(action));
  content.write(notificationId.replaceAll("-", ""), actionBytes, "hex");
  content.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000), actionBytes + idBytes);
  return Buffer.concat([content, signatureOf(content, signer)]).toString("base64url");
}

/** Reads a token that came back from a phone; it may be any text. */
export function readToken(text: string, signer: Signer, now: Date): ReadToken {
  const bytes = Buffer.from(text, "base64url");
  const [content, signature] = [bytes.subarray(0, contentBytes), bytes.subarray(contentBytes)];
  // One token has one spelling
  const isWhole = signature.length === signatureBytes && bytes.toString("base64url") === text;
  if (!isWhole || !timingSafeEqual(signature, signatureOf(content, signer))) return { kind: "forged" };
  const action = answerActions[content.readUInt8()];
  if (action === undefined) return { kind: "forged" };
  const hex = content.subarray(actionBytes, actionBytes + idBytes).toString("hex");
  const notificationId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  const expiresAt = new Date(content.readUInt32BE(actionBytes + idBytes) * 1000);
  return { kind: now < expiresAt ? "valid" : "late", token: { action, notificationId, expiresAt } };
}

/** Returns the buttons of a message about an alert that a person can still end; none for tests, digests and what is over. */
export function buttonsOf(message: Message, sealer: Pick<Sealer, "sign">, now: Date): readonly PhoneButton[] {
  const { alert } = message;
  if (!alert || message.isTest || message.heldBack || message.endOf !== undefined) return [];
  if (alert.status === "acknowledged" || alert.status === "dismissed") return [];
  const expiresAt = new Date(now.getTime() + answerableForMs);
  return answerActions.map((action) => ({
    label: answerLabels[action],
    token: writeToken({ action, notificationId: message.notificationId, expiresAt }, sealer),
  }));
}
