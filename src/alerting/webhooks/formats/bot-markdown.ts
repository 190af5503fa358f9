import { chatIdOf, type WebhookDefinition } from "../webhook.ts";
import type { Message } from "./message.ts";
import { headlineOf, plain, plainLine, shorten } from "./texts.ts";

/** Published limit of a message. The platform counts without the markup, so this is on the safe side. */
const longest = 4096;

/** Writes a bot's message in MarkdownV2, without link previews, to the chat that the webhook names. */
export function botMarkdown(message: Message, webhook: Pick<WebhookDefinition, "url" | "custom_headers">): object {
  const chatId = chatIdOf(webhook);
  const headline = `*${shorten(headlineOf(message), 500, escapeText)}*`;
  const facts = message.facts.map(
    ({ name, value }) => `*${shorten(plainLine(name), 100, escapeText)}:* ${shorten(plainLine(value), 500, escapeText)}`,
  );
  const more = message.more === null ? [] : [`\`${shorten(plainLine(message.more), 300, escapeCode)}\``];
  // Only whole lines: half a line could contain half of its markup
  const lines: string[] = [headline];
  let left = longest - headline.length - 2 - (more[0]?.length ?? 0) - 2;
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
    link_preview_options: { is_disabled: true },
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
