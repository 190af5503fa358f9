import type { Message } from "../facts.ts";

/** The id of a mail, and that of the topic it belongs to. */
export interface Thread {
  readonly messageId: string;
  readonly topic: string;
}

/**
 * Mails of one camera and one local day answer to the same topic, which is no mail itself: mail programs show them
 * together. A mail that is sent again has the same id, so that a mailbox can tell.
 */
export function threadOf(message: Message, { domain, timeZone }: { readonly domain: string; readonly timeZone: string }): Thread {
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(message.alert.startedAt);
  return {
    messageId: `<notification.${message.notificationId}@${domain}>`,
    topic: `<camera.${message.alert.cameraId}.${day}@${domain}>`,
  };
}
