import type { ReceivedMail } from "../../support/mail-server.ts";

/** Returns the notification of a mail; empty if it names none. */
export const notificationIdOf = ({ mail }: ReceivedMail): string =>
  /^<notification\.([0-9a-f-]+)@/.exec(mail.headers["message-id"] ?? "")?.[1] ?? "";
