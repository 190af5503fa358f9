import type { Message } from "../delivery/message.ts";

/** The id of a mail, and those of what it belongs to: its topic, and the mail that it answers, the nearest last. */
export interface Thread {
  readonly messageId: string;
  readonly references: readonly [string, ...string[]];
}

/**
 * Mails of one camera and one local day answer to the same topic, which is no mail itself: mail programs show them
 * together; the end of an incident answers the mail that told of its beginning. The end of a silence is a topic of its own.
 * A mail that is sent again has the same id, so that a mailbox can tell.
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
