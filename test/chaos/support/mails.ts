import type { ReceivedMail } from "../../support/mail-server.ts";

/** Which notification a mail is; empty when it says of none. */
export const notificationIdOf = ({ mail }: ReceivedMail): string =>
  /^<notification\.([0-9a-f-]+)@/.exec(mail.headers["message-id"] ?? "")?.[1] ?? "";
