import { domainToASCII } from "node:url";
import { traceHeader } from "../../platform/outbound/headers.ts";
import type { LinkSettings } from "../delivery/links.ts";
import type { Message } from "../delivery/message.ts";
import { onOneLine } from "../delivery/texts.ts";
import { headline, levelOf, valuesFor } from "./content.ts";
import type { MailPicture } from "./picture.ts";
import type { Envelope } from "./smtp.ts";
import { summaryValues } from "./summary.ts";
import { renderMail } from "./templates.ts";

/** Sender, recipients, and the context that the text refers to. */
export interface MailSetting {
  /** As in SMTP_FROM_ADDRESS. */
  readonly from: string;
  readonly to: readonly string[];
  readonly timeZone: string;
  readonly links: LinkSettings;
  readonly now: Date;
}

/**
 * Writes the mail of a notification as HTML and text, with the picture inside. Its headers make mail programs group it with the other mails
 * of its camera and day, or of its silence.
 */
export async function composeMail(message: Message, picture: MailPicture | undefined, setting: MailSetting): Promise<Envelope> {
  const sender = senderOf(setting.from);
  const to = setting.to.map(withAsciiDomain);
  const domain = sender.address.slice(sender.address.lastIndexOf("@") + 1);
  const thread = threadOf(message, { domain, timeZone: setting.timeZone });
  const pictureId = picture && "jpeg" in picture ? `picture.${message.notificationId}@${domain}` : null;
  const subject = onOneLine(headline(message, setting.timeZone), 200);
  const pictureFault = picture && "fault" in picture ? picture.fault : null;
  const { html, text } = message.summary
    ? await renderMail("summary", { ...summaryValues(message, setting), subject })
    : await renderMail(message.heldBack ? "digest" : "alert", { ...valuesFor(message, setting), subject, pictureId, pictureFault });
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const mail = new MailComposer({
    from: sender,
    to: to.map((address) => ({ name: "", address })),
    subject,
    text,
    html,
    messageId: thread.messageId,
    inReplyTo: thread.references.at(-1) ?? thread.references[0],
    references: [...thread.references],
    date: setting.now,
    headers: {
      "Auto-Submitted": "auto-generated",
      ...traceHeader(message.alert?.trace),
      ...(isUrgent(message) && { "X-Priority": "1 (Highest)", Importance: "High" }),
      "List-Id": { prepared: true, value: `homesec alerts <alerts.homesec.${domain}>` },
    },
    ...(picture &&
      "jpeg" in picture &&
      pictureId && { attachments: [inline(picture.jpeg, pictureId, message.alert?.cameraId ?? "picture")] }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { from: sender.address, to, raw: await mail.compile().build() };
}

/** A critical rule or a critical event, and no end of one. */
function isUrgent(message: Message): boolean {
  if (!message.alert || message.endOf !== undefined) return false;
  return levelOf(message) === "critical" || [message.alert, ...message.joined].some(({ severity }) => severity === "critical");
}

const inline = (content: Buffer, cid: string, cameraId: string) => ({
  content,
  cid,
  filename: `${cameraId}.jpg`,
  contentType: "image/jpeg",
  contentDisposition: "inline" as const,
});

/** Parses `Home <home@example.org>` or a bare address. */
function senderOf(from: string): { readonly name: string; readonly address: string } {
  const [, name = "", address] = /^(.*)<([^<>]+)>$/.exec(from) ?? [];
  return address === undefined
    ? { name: "homesec", address: withAsciiDomain(from) }
    : { name: onOneLine(name.replace(/^\s*"|"\s*$/g, ""), 100), address: withAsciiDomain(address) };
}

/** Writes the domain in ASCII, which every mail server accepts: `müller.de` as `xn--mller-kva.de`. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  return address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at));
}

/** The id of a mail, and its references: first the id of its topic, then the mail that it answers. */
interface Thread {
  readonly messageId: string;
  readonly references: readonly [string, ...string[]];
}

/**
 * Returns the ids that make mail programs group mails. All mails of one camera and local day refer to the same topic, which is no mail
 * itself. The end of an incident and the update of an immediate alert answer the mail that came first. The end of a silence has its own topic. A repeated mail has
 * the same id, so that a mailbox recognises it. All summaries of days have one topic.
 */
function threadOf(message: Message, { domain, timeZone }: { readonly domain: string; readonly timeZone: string }): Thread {
  const messageId = mailId(message.notificationId, domain);
  if (message.summary) return { messageId, references: [`<summaries@${domain}>`] };
  if (message.silence) return { messageId, references: [`<silence.${message.silence.silenceId}@${domain}>`] };
  if (message.catchUp) return { messageId, references: [`<catch-up.${message.catchUp.catchUpId}@${domain}>`] };
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(message.alert.startedAt);
  return {
    messageId,
    references: [
      `<camera.${message.alert.cameraId}.${day}@${domain}>`,
      ...[message.endOf ?? message.updateOf ?? []].flat().map((id) => mailId(id, domain)),
    ],
  };
}

const mailId = (notificationId: string, domain: string): string => `<notification.${notificationId}@${domain}>`;
