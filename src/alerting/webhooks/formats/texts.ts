const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Zero-width space, between an @ and a word that would notify everyone. */
const breaker = "\u200b";

/**
 * Makes text that a person or a model wrote safe to show: removes control and direction characters, which can hide text, replaces halves of
 * surrogate pairs, and breaks mentions of everyone in the room. A longer word that begins like a mention is broken too, since markup or a
 * cut may end the word there.
 */
export function plain(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/@(?=everyone|here|channel|group|team|all|room)/gi, `@${breaker}`);
}

/** Does the same on one line. */
export function plainLine(text: string): string {
  return plain(text).replace(/\s+/g, " ").trim();
}

/** Returns the headline on one line; never empty. */
export function headlineOf({ headline }: { readonly headline: string }): string {
  return plainLine(headline) || "homesec";
}

/** Returns the words of a message's link. */
export function linkTitleOf({ linkTitle = "Event details" }: { readonly linkTitle?: string }): string {
  return linkTitle;
}

/** Returns the text of a message without markup: its sentences, then a line for each fact. */
export function plainText({
  text,
  facts,
}: {
  readonly text: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}): string {
  const lines = [plain(text).trim(), ...facts.map(({ name, value }) => `${plainLine(name)}: ${plainLine(value)}`)];
  return lines.filter((line) => line !== "").join("\n");
}

/**
 * Escapes text and shortens it so that the escaped form has at most `limit` UTF-16 units, including the ellipsis. Cuts neither an escape
 * sequence nor a grapheme. `escapeText` must escape character by character.
 */
export function shorten(text: string, limit: number, escapeText: (part: string) => string = (part) => part): string {
  const whole = escapeText(text);
  if (whole.length <= limit) return whole;
  const end = escapeText("…");
  let short = "";
  // No more than `limit` units fit, however they are escaped
  for (const { segment } of graphemes.segment(text.slice(0, limit + 1))) {
    const part = escapeText(segment);
    if (short.length + part.length + end.length > limit) break;
    short += part;
  }
  return short + end;
}
