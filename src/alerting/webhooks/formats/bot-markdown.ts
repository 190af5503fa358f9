import { chatIdOf, type WebhookDefinition } from "../webhook.ts";
import type { Message } from "./message.ts";
import { headlineOf, linkTitleOf, plain, plainLine, shorten } from "./texts.ts";

/** Published limit of a message. The platform counts without the markup, so this is on the safe side. */
const longest = 4096;

/** Writes a bot's message in MarkdownV2 to the chat that the webhook names. The only link preview is the picture. */
export function botMarkdown(message: Message, webhook: Pick<WebhookDefinition, "url" | "custom_headers">): object {
  const chatId = chatIdOf(webhook);
  const headline = `*${shorten(headlineOf(message), 500, escapeText)}*`;
  const facts = message.facts.map(
    ({ name, value }) => `*${shorten(plainLine(name), 100, escapeText)}:* ${shorten(plainLine(value), 500, escapeText)}`,
  );
  const command = message.more === null ? [] : [`\`${shorten(plainLine(message.more), 300, escapeCode)}\``];
  const link = message.link === undefined ? [] : [`[${linkTitleOf(message)}](${message.link.replace(/[\\)]/g, "\\$&")})`];
  const more = [...command, ...link];
  // Only whole lines: half a line could contain half of its markup
  const lines: string[] = [headline];
  let left = longest - headline.length - 2 - more.join("").length - 2 * more.length;
  for (const line of facts) {
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  const text = left > 50 ? shorten(plain(message.text).trim(), left - 2, escapeText) : "";
  const [head = "", ...rest] = lines;
  const paragraphs = [head, text, rest.join("\n"), ...more].filter((paragraph) => paragraph !== "");
  return {
    ...(chatId !== undefined && { chat_id: chatId }),
    text: paragraphs.join("\n\n"),
    parse_mode: "MarkdownV2",
    link_preview_options:
      message.picture === undefined ? { is_disabled: true } : { url: message.picture, prefer_large_media: true, show_above_text: true },
  };
}

/** Escapes all characters that MarkdownV2 may read as markup. */
function escapeText(part: string): string {
  return part.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, "\\$&");
}

/** Escapes the two characters that are markup inside code. */
function escapeCode(part: string): string {
  return part.replace(/[\\`]/g, "\\$&");
}
