import type { Clock } from "../../base/clock/clock.ts";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import { rootsOf } from "../../monitoring/cameras/roots.ts";
import { detectionsBeside, findSource } from "../../monitoring/detections/detections-repository.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import type { LinkSettings } from "../delivery/links.ts";
import type { Message } from "../delivery/message.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { composeMail } from "../email/compose.ts";
import { type MailPicture, mailPicture } from "../email/picture.ts";
import { type Envelope, type SmtpTimeouts, sendBySmtp, smtpServerOf, smtpTimeouts } from "../email/smtp.ts";
import { outcomeOfMail } from "../email/smtp-outcome.ts";
import { type ChannelName, emailFault } from "./channels.ts";
import { newestPictures } from "./facts-repository.ts";
import { postNotification } from "./webhook.ts";

/** When the best picture of an event was deleted, this many others are tried. */
const otherPictures = 3;

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

/** How each channel renders and sends. */
export const transports: Readonly<Record<ChannelName, Transport>> = {
  email: mailTransport,
  webhook: async ({ config, outbound, clock, links = config }, message) => {
    const url = config.defaultWebhookUrl;
    if (url === undefined) return unsendable("it needs DEFAULT_WEBHOOK_URL");
    const timeoutMs = config.webhookTimeoutSeconds * 1000;
    return (signal) => postNotification(message, { outbound, url, links, timeoutMs, now: () => clock.now() }, signal);
  },
  push: async () => async () => ({ kind: "failed", answer: "push notifications are not available in this version" }),
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

/**
 * Reads the picture for a mail, and returns the message with the detection that it shows: when the best picture was deleted, another one
 * of the event. A message that lists several events shows no picture.
 */
async function withPicture(
  { db, config }: TransportContext,
  message: Message,
  signal: AbortSignal,
): Promise<{ readonly about: Message; readonly picture: MailPicture | undefined }> {
  const { alert, heldBack } = message;
  if (!alert || heldBack || alert.detectionId === null) return { about: message, picture: undefined };
  const pictureOf = async (id: number): Promise<MailPicture | undefined> => {
    const { source, seen } = await db.query(async (sql) => ({ source: await findSource(sql, id), seen: await detectionsBeside(sql, id) }));
    return source && (await mailPicture(source, rootsOf(config), signal, undefined, seen.length > 0 ? seen : [source]));
  };
  const picture = await pictureOf(alert.detectionId);
  if (!picture || "jpeg" in picture || !picture.isGone) return { about: message, picture };
  for (const id of await db.query((sql) => newestPictures(sql, alert.eventId, otherPictures))) {
    const other = id === alert.detectionId ? undefined : await pictureOf(id);
    if (other && "jpeg" in other) return { about: { ...message, alert: { ...alert, detectionId: id } }, picture: other };
  }
  return { about: message, picture };
}
