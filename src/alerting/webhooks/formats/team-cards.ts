import type { Message, Urgency } from "./message.ts";
import { headlineOf, linkTitleOf, plain, plainLine, shorten } from "./texts.ts";

/** Published limit of a message. */
const mostBytes = 28 * 1024;

const colours: Readonly<Record<Urgency, string>> = {
  good: "good",
  info: "default",
  low: "accent",
  medium: "warning",
  high: "attention",
  critical: "attention",
};

/** Writes a message with one Adaptive Card. All text is in text runs, which have no markup, so nothing needs escaping. */
export function teamCards(message: Message): object {
  for (let facts = Math.min(message.facts.length, 25); ; facts -= 1) {
    const card = cardOf(message, facts);
    if (facts === 0 || Buffer.byteLength(JSON.stringify(card)) < mostBytes) return card;
  }
}

function cardOf(message: Message, facts: number): object {
  const paragraph = (...inlines: object[]): object => ({ type: "RichTextBlock", inlines });
  const run = (text: string, style: object = {}): object => ({ type: "TextRun", text, ...style });
  const text = shorten(plain(message.text).trim(), 4000);
  const body = [
    paragraph(run(shorten(headlineOf(message), 300), { size: "large", weight: "bolder", color: colours[message.urgency] })),
    ...(text === "" ? [] : [paragraph(run(text))]),
    ...(message.picture === undefined ? [] : [{ type: "Image", url: message.picture, altText: shorten(headlineOf(message), 300) }]),
    ...message.facts
      .slice(0, facts)
      .map(({ name, value }) =>
        paragraph(run(`${shorten(plainLine(name), 100)}: `, { weight: "bolder" }), run(shorten(plainLine(value), 1000))),
      ),
    ...(message.more === null ? [] : [paragraph(run(shorten(plainLine(message.more), 300), { fontType: "monospace", isSubtle: true }))]),
  ];
  const actions =
    message.link === undefined ? {} : { actions: [{ type: "Action.OpenUrl", title: linkTitleOf(message), url: message.link }] };
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: { $schema: "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard", version: "1.4", body, ...actions },
      },
    ],
  };
}
