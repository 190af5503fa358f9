import type { Clock } from "../../base/clock/clock.ts";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import { type ChannelName, emailFault } from "../channels/availability.ts";
import type { LinkSettings } from "../delivery/links.ts";
import type { Message } from "../delivery/message.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { composeMail } from "../email/compose.ts";
import type { MailPicture } from "../email/picture.ts";
import { type Envelope, type SmtpTimeouts, sendBySmtp, smtpServerOf, smtpTimeouts } from "../email/smtp.ts";
import { outcomeOfMail } from "../email/smtp-outcome.ts";
import { withPicture } from "./message-picture.ts";
import { postNotification } from "./webhook.ts";

/** The services that rendering and sending need. */
export interface TransportContext {
  readonly db: Database;
  readonly config: Config;
  readonly outbound: Pick<Outbound, "post">;
  readonly clock: Clock;
  readonly smtpTimeouts?: SmtpTimeouts;
  /** How links are written; without it, by the configuration. */
  readonly links?: LinkSettings;
}

/** Makes one attempt to send a rendered message. Never throws for what the other side did. */
export type Send = (signal: AbortSignal) => Promise<Outcome>;

/** Renders a message for one channel. `recipients` matters to mails only. */
export type Transport = (context: TransportContext, message: Message, recipients: readonly string[], signal: AbortSignal) => Promise<Send>;

/** How mail and DEFAULT_WEBHOOK_URL render and send. Channels to phones: `phone.ts`. */
export const transports: Readonly<Record<Exclude<ChannelName, "push">, Transport>> = {
  email: mailTransport,
  webhook: async ({ config, outbound, clock, links = config }, message) => {
    const url = config.defaultWebhookUrl;
    if (url === undefined) return unsendable("it needs DEFAULT_WEBHOOK_URL");
    const timeoutMs = config.webhookTimeoutSeconds * 1000;
    return (signal) => postNotification(message, { outbound, url, links, timeoutMs, now: () => clock.now() }, signal);
  },
};

const unsendable = (reason: string): Send => {
  return async () => ({ kind: "again", answer: reason, misconfigured: true });
};

/** A mail whose picture was deleted, or is too large for the mail server, goes without it. */
async function mailTransport(context: TransportContext, message: Message, to: readonly string[], signal: AbortSignal): Promise<Send> {
  const { config, clock } = context;
  const server = smtpServerOf(config);
  const from = config.smtpFromAddress;
  if (!server || from === undefined) return unsendable(emailFault(config, to) ?? "it needs SMTP_HOST");
  const { about, picture } = await withPicture(context, message, signal);
  const compose = async (shown: MailPicture | undefined): Promise<Envelope> =>
    await composeMail(about, shown, { from, to, timeZone: localTimeZone(), links: context.links ?? config, now: clock.now() });
  const envelope = await compose(picture);
  return async (sending) => {
    const send = async (mail: Envelope) => await sendBySmtp(server, mail, sending, context.smtpTimeouts ?? smtpTimeouts);
    const result = await send(envelope);
    const isTooLarge = result.kind === "not_accepted" && result.isTooLarge && picture !== undefined && "jpeg" in picture;
    if (!isTooLarge) return outcomeOfMail(result);
    return outcomeOfMail(await send(await compose({ fault: "No picture: the mail server does not accept a mail of that size." })));
  };
}
