import PostalMime, { type Attachment, type Email } from "postal-mime";
import type { MailFacts } from "../../../src/monitoring/receivers/mail-rules.ts";

/** Mails inside of mails beyond this depth are not read. */
const mostDepth = 5;
/** Parts of a mail that are tried as pictures. */
const mostParts = 100;
/** Characters of a page that are read as text. */
const mostHtmlLength = 20_000;

/** A part of a mail that may be a picture. */
export interface MailPart {
  readonly name: string | undefined;
  readonly content: Uint8Array;
}

/** A mail that was read. */
export interface Mail extends MailFacts {
  readonly parts: readonly MailPart[];
}

/** Reads a mail. Returns its parts in their order, also those of mails inside, whatever types they state. Never throws because of the bytes. */
export async function readMail(mail: Uint8Array): Promise<Mail> {
  const parts: MailPart[] = [];
  const { subject = "", from, text, html } = await collect(mail, 0, parts);
  return { subject, senders: [from?.address ?? "", from?.name ?? ""], text: text ?? textOf(html ?? ""), parts: parts.slice(0, mostParts) };
}

/** Returns the text of a page, a line for each element. */
function textOf(html: string): string {
  return html.slice(0, mostHtmlLength).replaceAll(/<[^<>]*>/g, "\n");
}

/** Adds the parts of a mail, and returns it. */
async function collect(mail: Uint8Array, depth: number, parts: MailPart[]): Promise<Partial<Email>> {
  const email = (await parse(mail)) ?? {};
  const { attachments = [], html } = email;
  for (const { mimeType, filename, content } of attachments) {
    const bytes = bytesOf(content);
    if (mimeType === "message/rfc822" && depth < mostDepth) await collect(bytes, depth + 1, parts);
    else if (parts.length < mostParts) parts.push({ name: filename ?? undefined, content: bytes });
  }
  for (const [, data = ""] of (html ?? "").matchAll(/src\s*=\s*["']data:image\/[\w.+-]+;base64,([^"']+)["']/gi)) {
    if (parts.length < mostParts) parts.push({ name: undefined, content: Buffer.from(data, "base64") });
  }
  return email;
}

async function parse(mail: Uint8Array): Promise<Partial<Email> | undefined> {
  try {
    return await PostalMime.parse(mail);
  } catch {
    return undefined;
  }
}

function bytesOf(content: Attachment["content"]): Uint8Array {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}
