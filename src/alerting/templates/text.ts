/** Text as Python sees it: a sequence of code points, with Python's definition of white space and line ends. */

/** Python's white space, for `[]` in a regular expression. */
export const spaces = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const space = new RegExp(`[${spaces}]`);
const lineEnds = new RegExp(["\\r\\n", "[\\n\\v\\f\\r\\x1c-\\x1e\\x85\\u2028\\u2029]"].join("|"));
const gaps = new RegExp(`[${spaces}]+`);
const surrogate = /[\ud800-\udfff]/;

/** Tells whether a character is white space. */
export function isSpace(character: string): boolean {
  return space.test(character);
}

/** Splits a text into its code points. */
export function charactersOf(text: string): string[] {
  return surrogate.test(text) ? Array.from(text) : text.split("");
}

/** Returns the number of code points. */
export function lengthOf(text: string): number {
  return surrogate.test(text) ? Array.from(text).length : text.length;
}

/** Returns the first characters, counted in code points. */
export function startOf(text: string, count: number): string {
  return surrogate.test(text) ? Array.from(text).slice(0, count).join("") : text.slice(0, count);
}

/** Strips white space, or the given characters, from both ends or from one. */
export function strip(text: string, characters: string | null = null, ends: "both" | "start" | "end" = "both"): string {
  const all = charactersOf(text);
  const set = characters === null ? null : new Set(charactersOf(characters));
  const drop = (character: string | undefined) => character !== undefined && (set === null ? isSpace(character) : set.has(character));
  let from = 0;
  let to = all.length;
  if (ends !== "end") while (from < to && drop(all[from])) from += 1;
  if (ends !== "start") while (to > from && drop(all[to - 1])) to -= 1;
  return all.slice(from, to).join("");
}

/** Strips white space from the end. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/** Returns the words between white space. */
export function wordsOf(text: string): string[] {
  return text.split(gaps).filter((word) => word !== "");
}

/** Returns the lines without their ends; a line end at the very end starts no line. */
export function linesOf(text: string): string[] {
  const lines = text.split(lineEnds);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Compares by code point; negative if `a` comes first. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : 1;
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return -1;
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };

/** Escapes the five characters that are special in HTML. */
export function escapeText(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => entities[character] ?? character);
}
