import type { Clock } from "../../base/clock/clock.ts";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import { rootsOf } from "../../monitoring/cameras/roots.ts";
import { findSource } from "../../monitoring/detections/detections-repository.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import type { Message } from "../delivery/message.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { composeMail } from "../email/compose.ts";
import { type MailPicture, mailPicture } from "../email/picture.ts";
import { type SmtpResult, type SmtpTimeouts, sendBySmtp, smtpServerOf, smtpTimeouts } from "../email/smtp.ts";
import { outcomeOfMail } from "../email/smtp-outcome.ts";
import { type Channel, emailFault } from "./channels.ts";
import { newestPictures } from "./facts-repository.ts";
import { postNotification } from "./webhook.ts";

/** So many pictures of an event are tried when the most telling one is gone. */
const otherPictures = 3;

/** What it takes to send something. */
export interface TransmitContext {
  readonly db: Database;
  readonly config: Config;
  readonly outbound: Pick<Outbound, "post">;
  readonly clock: Clock;
  readonly smtpTimeouts?: SmtpTimeouts;
}

/** Through which channel, and to whom where that is a mail. */
export interface Route {
  readonly channel: Channel;
  readonly recipients: readonly string[];
}

/** Makes one attempt to send a message through a channel. Never throws for what the other side did; a mail whose picture is gone, or too large for the mail server, goes without it. */
export async function transmit(context: TransmitContext, message: Message, route: Route, signal: AbortSignal): Promise<Outcome> {
  switch (route.channel) {
    case "email":
      return await mail(context, message, route.recipients, signal);
    case "webhook":
      return await post(context, message, signal);
    case "push":
      return { kind: "failed", answer: "push notifications are not available in this version" };
  }
}

async function mail(context: TransmitContext, message: Message, to: readonly string[], signal: AbortSignal): Promise<Outcome> {
  const { config, clock } = context;
  const server = smtpServerOf(config);
  const from = config.smtpFromAddress;
  if (!server || from === undefined) return { kind: "again", answer: emailFault(config, to) ?? "it needs SMTP_HOST", misconfigured: true };
  const send = async (picture: MailPicture | undefined): Promise<SmtpResult> => {
    const setting = { from, to, timeZone: localTimeZone(), publicUrl: config.publicUrl, now: clock.now() };
    return await sendBySmtp(server, await composeMail(about, picture, setting), signal, context.smtpTimeouts ?? smtpTimeouts);
  };
  const { about, picture } = await withPicture(context, message, signal);
  const result = await send(picture);
  const isTooLarge = result.kind === "not_taken" && result.isTooLarge && picture !== undefined && "jpeg" in picture;
  return outcomeOfMail(
    isTooLarge ? await send({ fault: "The picture is not in this mail: the mail server takes no mail of that size." }) : result,
  );
}

async function post({ config, outbound, clock }: TransmitContext, message: Message, signal: AbortSignal): Promise<Outcome> {
  const url = config.defaultWebhookUrl;
  if (url === undefined) return { kind: "again", answer: "it needs DEFAULT_WEBHOOK_URL", misconfigured: true };
  const timeoutMs = config.webhookTimeoutSeconds * 1000;
  return await postNotification(message, { outbound, url, timeoutMs, now: () => clock.now() }, signal);
}

/**
 * The picture for a mail, and the message with the detection that it shows: where the most telling picture is gone, another one of the event. What lists
 * many events shows none of them.
 */
async function withPicture(
  { db, config }: TransmitContext,
  message: Message,
  signal: AbortSignal,
): Promise<{ readonly about: Message; readonly picture: MailPicture | undefined }> {
  const { alert, heldBack } = message;
  if (!alert || heldBack || alert.detectionId === null) return { about: message, picture: undefined };
  const pictureOf = async (id: number): Promise<MailPicture | undefined> => {
    const source = await db.query((sql) => findSource(sql, id));
    return source && (await mailPicture(source, rootsOf(config), signal));
  };
  const picture = await pictureOf(alert.detectionId);
  if (!picture || "jpeg" in picture || !picture.isGone) return { about: message, picture };
  for (const id of await db.query((sql) => newestPictures(sql, alert.eventId, otherPictures))) {
    const other = id === alert.detectionId ? undefined : await pictureOf(id);
    if (other && "jpeg" in other) return { about: { ...message, alert: { ...alert, detectionId: id } }, picture: other };
  }
  return { about: message, picture };
}
