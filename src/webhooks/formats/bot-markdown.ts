import { fit, plain, plainLine } from "./fit.ts";
import type { Message } from "./message.ts";

/** Published limit of a message; that it is counted after the markup is taken out leaves room to spare. */
const longest = 4096;

/** A message of a bot in MarkdownV2, into the chat `chatId`, without a preview of links. */
export function botMarkdown(message: Message, chatId: string): object {
  const headline = `*${fit(plainLine(message.headline), 500, escape)}*`;
  const facts = message.facts.map(({ name, value }) => `*${fit(plainLine(name), 100, escape)}:* ${fit(plainLine(value), 500, escape)}`);
  const more = message.more === null ? [] : [`\`${fit(plainLine(message.more), 300, escapeCode)}\``];
  // whole lines only: half a line may hold half of its markup
  const lines: string[] = [headline];
  let left = longest - headline.length - 2 - (more[0]?.length ?? 0) - 2;
  for (const line of facts) {
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  const text = left > 50 ? fit(plain(message.text).trim(), left - 2, escape) : "";
  const [head = "", ...rest] = lines;
  const paragraphs = [head, text, rest.join("\n"), ...more].filter((paragraph) => paragraph !== "");
  return { chat_id: chatId, text: paragraphs.join("\n\n"), parse_mode: "MarkdownV2", link_preview_options: { is_disabled: true } };
}

/** All characters that MarkdownV2 may take for markup. */
function escape(part: string): string {
  return part.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, "\\$&");
}

/** Inside of code only these two are markup. */
function escapeCode(part: string): string {
  return part.replace(/[\\`]/g, "\\$&");
}
