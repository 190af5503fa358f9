import type { SearchQuery } from "./query.ts";

/** Approximate length of an excerpt in characters. */
const excerptLength = 240;
/** Number of its characters before the first match. */
const leadLength = 60;

interface Word {
  readonly start: number;
  readonly end: number;
  readonly folded: string;
}

/** Consecutive words; the last one may be only the beginning of a word. */
interface Phrase {
  readonly words: readonly string[];
  readonly isBeginning: boolean;
}

/**
 * Returns an excerpt of the text with most matches of the query, as HTML: <mark> surrounds the matching words, everything else is
 * escaped. Null if none of the texts matches.
 */
export function highlight(query: SearchQuery, texts: readonly string[]): string | null {
  const phrases = wantedPhrases(query);
  let best: { readonly text: string; readonly found: readonly Word[][] } | undefined;
  for (const text of texts) {
    const words = wordsOf(text);
    const found = phrases.map((phrase) => occurrences(words, phrase)).filter((places) => places.length > 0);
    if (found.length > (best?.found.length ?? 0)) best = { text, found };
  }
  return best ? excerpt(best.text, best.found.flat()) : null;
}

function wantedPhrases(query: SearchQuery): readonly Phrase[] {
  switch (query.kind) {
    case "phrase":
      return [{ words: wordsOf(query.text).map((word) => word.folded), isBeginning: query.text.endsWith("*") }];
    case "not":
      return [];
    case "and":
    case "or":
      return query.parts.flatMap(wantedPhrases);
  }
}

/** Splits a text into words as the index stores them: without case and accents. */
function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(({ index, 0: word }) => ({
    start: index,
    end: index + word.length,
    folded: folded(word),
  }));
}

const letters: Readonly<Record<string, string>> = { ø: "o", ł: "l", đ: "d", ħ: "h", ı: "i", ß: "ss" };

function folded(word: string): string {
  const plain = word.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  return plain.toLowerCase().replace(/[øłđħıß]/g, (letter) => letters[letter] ?? letter);
}

function occurrences(words: readonly Word[], { words: wanted, isBeginning }: Phrase): Word[] {
  if (wanted.length === 0) return [];
  return words.flatMap((first, at) => {
    const fits = wanted.every((word, offset) => {
      const there = words[at + offset]?.folded;
      return isBeginning && offset === wanted.length - 1 ? there?.startsWith(word) : there === word;
    });
    const last = words[at + wanted.length - 1];
    return fits && last ? [{ start: first.start, end: last.end, folded: "" }] : [];
  });
}

function excerpt(text: string, found: readonly Word[]): string {
  const places = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const first = places[0]?.start ?? 0;
  const from = first <= leadLength ? 0 : text.indexOf(" ", first - leadLength - 1) + 1 || first;
  const start = Math.min(from, first);
  const cut = start + excerptLength;
  const end = cut >= text.length ? text.length : Math.max(text.lastIndexOf(" ", cut), places[0]?.end ?? 0);
  let html = start > 0 ? "…" : "";
  let at = start;
  for (const place of places) {
    if (place.start < at || place.end > end) continue;
    html += `${escaped(text.slice(at, place.start))}<mark>${escaped(text.slice(place.start, place.end))}</mark>`;
    at = place.end;
  }
  return `${html}${escaped(text.slice(at, end))}${end < text.length ? "…" : ""}`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
