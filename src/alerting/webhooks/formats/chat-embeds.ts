import type { Message, Urgency } from "./message.ts";
import { headlineOf, plain, plainLine, shorten } from "./texts.ts";

/** Published limits of embeds. */
const limits = { title: 256, description: 4096, fields: 25, name: 256, value: 1024, total: 6000, footer: 256 } as const;

const colours: Readonly<Record<Urgency, number>> = {
  good: 0x2e_a0_43,
  info: 0x5b_8d_ef,
  low: 0x5b_8d_ef,
  medium: 0xe3_b3_41,
  high: 0xf0_88_3e,
  critical: 0xda_36_33,
};

/** Writes a message with one embed, coloured by urgency, that mentions no one. */
export function chatEmbeds(message: Message): object {
  const title = shorten(headlineOf(message), limits.title, escapeText);
  const footer = message.more === null ? undefined : shorten(plainLine(message.more), limits.footer);
  let left = limits.total - title.length - (footer?.length ?? 0);
  const fields: { name: string; value: string; inline: boolean }[] = [];
  for (const fact of message.facts.slice(0, limits.fields)) {
    const name = shorten(plainLine(fact.name), limits.name, escapeText);
    const value = shorten(plainLine(fact.value), limits.value, escapeText);
    if (name === "" || value === "" || name.length + value.length > left) continue;
    left -= name.length + value.length;
    fields.push({ name, value, inline: value.length <= 40 });
  }
  const description = shorten(plain(message.text).trim(), Math.min(limits.description, Math.max(left, 1)), escapeText);
  return {
    embeds: [
      {
        title,
        ...(message.link !== undefined && { url: message.link }),
        ...(description !== "" && left > 1 && { description }),
        color: colours[message.urgency],
        fields,
        ...(message.picture !== undefined && { image: { url: message.picture } }),
        ...(footer !== undefined && { footer: { text: footer } }),
        timestamp: message.time.toISOString(),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Escapes every character of Markdown, mentions and masked links. */
function escapeText(part: string): string {
  return part.replace(/[\\*_~`|<>[\]()#@:-]/g, "\\$&");
}
