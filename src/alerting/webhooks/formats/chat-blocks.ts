import type { Message } from "./message.ts";
import { headlineOf, linkTitleOf, plain, plainLine, shorten } from "./texts.ts";

/** Published limits of Block Kit messages. */
const limits = { header: 150, section: 3000, field: 2000, fieldsPerSection: 10, context: 2000, text: 3000, blocks: 50 } as const;

/**
 * Writes a Block Kit message: a header, the text, the picture, the facts in two columns, and the command and link that show more.
 * Notifications and old clients show `text` only.
 */
export function chatBlocks(message: Message): object {
  const headline = headlineOf(message);
  const sections: object[] = [];
  for (let at = 0; at < message.facts.length; at += limits.fieldsPerSection) {
    const fields = message.facts.slice(at, at + limits.fieldsPerSection).map(({ name, value }) => {
      const label = `*${shorten(plainLine(name), 100, escapeText)}*\n`;
      return { type: "mrkdwn", text: label + shorten(plainLine(value), limits.field - label.length, escapeText) };
    });
    sections.push({ type: "section", fields });
  }
  const text = shorten(plain(message.text).trim(), limits.section, escapeText);
  const command = message.more === null ? "" : `More: \`${shorten(plainLine(message.more), 500, escapeCode)}\``;
  const link = message.link === undefined ? "" : `<${message.link.replace(/[<>|]/g, encodeURIComponent)}|${linkTitleOf(message)}>`;
  const more = [command, link].filter((part) => part !== "");
  const markdown = (shown: string): object => ({ type: "mrkdwn", text: shown, verbatim: true });
  const blocks = [
    { type: "header", text: { type: "plain_text", text: shorten(headline, limits.header, escapeText), emoji: false } },
    ...(text === "" ? [] : [{ type: "section", text: markdown(text) }]),
    ...(message.picture === undefined ? [] : [{ type: "image", image_url: message.picture, alt_text: shorten(headline, limits.text) }]),
    ...sections,
    ...(more.length === 0 ? [] : [{ type: "context", elements: more.map(markdown) }]),
  ];
  return { text: shorten(headline, limits.text, escapeText), blocks: blocks.slice(0, limits.blocks) };
}

/** Escapes the three control characters, so that nothing becomes a mention or a link, and separates emphasis marks from their words. */
function escapeText(part: string): string {
  return withoutControl(part).replace(/[*_~`]/g, "\u200b$&\u200b");
}

/** Replaces only the end mark of code, so that a command can be copied unchanged. */
function escapeCode(part: string): string {
  return withoutControl(part).replaceAll("`", "'");
}

function withoutControl(part: string): string {
  return part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
