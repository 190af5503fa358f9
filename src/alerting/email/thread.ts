import type { Message } from "../delivery/message.ts";

/** The id of a mail, and its references: first the id of its topic, then the mail that it answers. */
export interface Thread {
  readonly messageId: string;
  readonly references: readonly [string, ...string[]];
}

/**
 * Returns the ids that make mail programs group mails. All mails of one camera and local day refer to the same topic, which is no mail
 * itself. The end of an incident answers the mail that reported its beginning. The end of a silence has its own topic. A repeated mail has
 * the same id, so that a mailbox recognises it.
 */
export function threadOf(message: Message, { domain, timeZone }: { readonly domain: string; readonly timeZone: string }): Thread {
  const messageId = mailId(message.notificationId, domain);
  if (message.silence) return { messageId, references: [`<silence.${message.silence.silenceId}@${domain}>`] };
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(message.alert.startedAt);
  return {
    messageId,
    references: [
      `<camera.${message.alert.cameraId}.${day}@${domain}>`,
      ...(message.endOf === undefined ? [] : [mailId(message.endOf, domain)]),
    ],
  };
}

const mailId = (notificationId: string, domain: string): string => `<notification.${notificationId}@${domain}>`;
