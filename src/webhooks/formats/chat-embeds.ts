import { fit, plain, plainLine } from "./fit.ts";
import type { Message, Urgency } from "./message.ts";

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

/** A message with one embed, coloured by urgency, that mentions nobody. */
export function chatEmbeds(message: Message): object {
  const title = fit(plainLine(message.headline), limits.title, escape);
  const footer = message.more === null ? undefined : fit(plainLine(message.more), limits.footer);
  let left = limits.total - title.length - (footer?.length ?? 0);
  const fields: { name: string; value: string; inline: boolean }[] = [];
  for (const fact of message.facts.slice(0, limits.fields)) {
    const name = fit(plainLine(fact.name), limits.name, escape);
    const value = fit(plainLine(fact.value), limits.value, escape);
    if (name === "" || value === "" || name.length + value.length > left) continue;
    left -= name.length + value.length;
    fields.push({ name, value, inline: value.length <= 40 });
  }
  const description = fit(plain(message.text).trim(), Math.min(limits.description, Math.max(left, 1)), escape);
  return {
    embeds: [
      {
        title,
        ...(description !== "" && left > 1 && { description }),
        color: colours[message.urgency],
        fields,
        ...(footer !== undefined && { footer: { text: footer } }),
        timestamp: message.time.toISOString(),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Every character that its Markdown, mentions and masked links are made of. */
function escape(part: string): string {
  return part.replace(/[\\*_~`|<>[\]()#@:-]/g, "\\$&");
}
