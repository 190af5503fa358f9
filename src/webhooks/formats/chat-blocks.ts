import { fit, plain, plainLine } from "./fit.ts";
import type { Message } from "./message.ts";

/** Published limits of Block Kit messages. */
const limits = { header: 150, section: 3000, field: 2000, fieldsPerSection: 10, context: 2000, text: 3000, blocks: 50 } as const;

/**
 * A Block Kit message: a header, the text, the facts in two columns, how to learn more. `text` is what notifications
 * and old clients show.
 */
export function chatBlocks(message: Message): object {
  const headline = plainLine(message.headline);
  const sections: object[] = [];
  for (let at = 0; at < message.facts.length; at += limits.fieldsPerSection) {
    const fields = message.facts.slice(at, at + limits.fieldsPerSection).map(({ name, value }) => {
      const label = `*${fit(plainLine(name), 100, escape)}*\n`;
      return { type: "mrkdwn", text: label + fit(plainLine(value), limits.field - label.length, escape) };
    });
    sections.push({ type: "section", fields });
  }
  const text = plain(message.text).trim();
  const blocks = [
    { type: "header", text: { type: "plain_text", text: fit(headline, limits.header, escape), emoji: false } },
    ...(text === "" ? [] : [{ type: "section", text: { type: "mrkdwn", text: fit(text, limits.section, escape), verbatim: true } }]),
    ...sections,
    ...(message.more === null
      ? []
      : [
          {
            type: "context",
            elements: [{ type: "mrkdwn", text: `More: \`${fit(plainLine(message.more), 500, escape)}\``, verbatim: true }],
          },
        ]),
  ];
  return { text: fit(headline, limits.text, escape), blocks: blocks.slice(0, limits.blocks) };
}

/** Its three control characters, without which nothing is a mention or a link; marks of emphasis are set apart from their words. */
function escape(part: string): string {
  return part
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[*_~`]/g, "\u200b$&\u200b");
}
