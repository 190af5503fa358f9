const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Invisible: between an @ and a word that would call everybody. */
const breaker = "\u200b";

/**
 * Text that a person typed or a model wrote, as it may be shown: without control and direction characters that hide
 * what follows, without halves of surrogate pairs, and without calls to everybody in the room. What follows
 * such a call does not count: markup, an ellipsis or a cut may end the word there.
 */
export function plain(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/@(?=everyone|here|channel|group|team|all|room)/gi, `@${breaker}`);
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plain(text).replace(/\s+/g, " ").trim();
}

/** The one line that every message has, whatever is left of its headline. */
export function headlineOf({ headline }: { readonly headline: string }): string {
  return plainLine(headline) || "homesec";
}

/**
 * Escapes text and shortens it so that the escaped form has at most `limit` UTF-16 units, an ellipsis included. Neither
 * an escape sequence nor what is seen as one character is cut. `escapeText` looks at single characters.
 */
export function shorten(text: string, limit: number, escapeText: (part: string) => string = (part) => part): string {
  const whole = escapeText(text);
  if (whole.length <= limit) return whole;
  const end = escapeText("…");
  let kept = "";
  // more than the limit never fits, whatever it is made of
  for (const { segment } of graphemes.segment(text.slice(0, limit + 1))) {
    const part = escapeText(segment);
    if (kept.length + part.length + end.length > limit) break;
    kept += part;
  }
  return kept + end;
}
