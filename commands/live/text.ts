import { graphemesOf } from "../../src/base/text/format.ts";
import { plain } from "../output/terminal-format.ts";

const ascii = /^[\x20-\x7e]*$/;
const regionalIndicatorA = 0x1f1e6;

/**
 * Makes untrusted text safe for a fixed place on the screen: `plain`, without characters whose width differs between terminals.
 * Replaces a joined emoji by its first one and a flag by its country code, and removes invisible characters.
 */
export function steady(text: string): string {
  const line = plain(text);
  if (ascii.test(line)) return line;
  let result = "";
  for (const { segment } of graphemesOf(line)) result += ascii.test(segment) ? segment : steadyGrapheme(segment);
  return result;
}

function steadyGrapheme(segment: string): string {
  if (/^\p{Regional_Indicator}/u.test(segment)) {
    return [...segment].map((letter) => String.fromCharCode(65 + (letter.codePointAt(0) ?? 0) - regionalIndicatorA)).join("");
  }
  const [first = ""] = segment;
  if (/^\p{Emoji_Presentation}|^\p{Extended_Pictographic}/u.test(segment)) return first;
  return segment.replace(/\p{Cf}|\p{Variation_Selector}|\u20e3/gu, "");
}

const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}])/u;

/** Columns of one grapheme of steady text. */
function graphemeWidth(segment: string): number {
  if (wide.test(segment)) return 2;
  return /^\p{M}/u.test(segment) ? 0 : 1;
}

/** Columns of steady text; colour codes count as 0. */
export function cellWidth(text: string): number {
  const bare = text.includes("\u001b") ? text.replace(colourCode, "") : text;
  if (ascii.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of graphemesOf(bare)) width += graphemeWidth(segment);
  return width;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colour codes begin with this character
const colourCode = /\u001b\[[\d;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const colourEnd = /\u001b\[(?:0|22|39)m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const pieces = /\u001b\[[\d;]*m|[^\u001b]+/g;

/** The text in grey, without its own colours. */
export function greyed(text: string): string {
  return `\u001b[2m${text.replace(colourCode, "")}\u001b[22m`;
}

/** Steady text, with or without colours, cut with "…" or padded to `width` columns. */
export function fitted(text: string, width: number): string {
  if (width <= 0) return "";
  const natural = cellWidth(text);
  if (natural <= width) return text + " ".repeat(width - natural);
  let result = "";
  let used = 0;
  let coloured = false;
  for (const piece of text.match(pieces) ?? []) {
    if (piece.startsWith("\u001b")) {
      coloured = true;
      result += piece;
      continue;
    }
    for (const { segment } of graphemesOf(piece)) {
      const columns = graphemeWidth(segment);
      if (used + columns > width - 1) {
        return `${result}…${" ".repeat(width - 1 - used)}${coloured ? "\u001b[0m" : ""}`;
      }
      result += segment;
      used += columns;
    }
  }
  return result;
}

/** Does not indent wrapped lines if fewer columns than this remain. */
const narrowest = 20;

/**
 * Wraps steady text, with or without colours, at `width` columns, between words or within longer ones. Indents the following
 * lines to the last column of the first, which begins after two spaces.
 */
export function broken(text: string, width: number): string[] {
  if (width <= 0 || cellWidth(text) <= width) return [text];
  const bare = text.replace(colourCode, "");
  const column = [...bare.matchAll(/ {2,}(?=\S)/g)].at(-1);
  const under = column === undefined ? 0 : cellWidth(bare.slice(0, column.index + column[0].length));
  const indent = width - under < narrowest ? 0 : under;
  const lines: Cells[] = [];
  let line: Cells = [];
  let used = 0;
  let colour = "";
  for (const piece of text.match(pieces) ?? []) {
    if (piece.startsWith("\u001b")) {
      colour = colourEnd.test(piece) ? "" : colour + piece;
      continue;
    }
    for (const { segment } of graphemesOf(piece)) {
      const columns = graphemeWidth(segment);
      const full = used + columns > width;
      // The rest of a word may fill the next line too
      while (used + columns > width && line.length > indent) {
        const at = segment === " " ? line.length : wordAt(line, indent);
        lines.push(line.slice(0, at));
        line = [...blanks(indent), ...line.slice(at)];
        used = line.reduce((sum, cell) => sum + cell.columns, 0);
      }
      if (full && segment === " ") continue;
      line.push({ segment, columns, colour });
      used += columns;
    }
  }
  return [...lines, line].map((cells) => coloured(cells.slice(0, cells.findLastIndex((cell) => cell.segment !== " ") + 1)));
}

/** Graphemes with their colour codes. */
type Cells = { readonly segment: string; readonly columns: number; readonly colour: string }[];

/** The start of the last word of a line; the end of the line if the word fills it. */
function wordAt(line: Cells, indent: number): number {
  const blank = line.findLastIndex(({ segment }) => segment === " ");
  return blank >= indent ? blank + 1 : line.length;
}

const blanks = (count: number): Cells => Array.from({ length: count }, () => ({ segment: " ", columns: 1, colour: "" }));

function coloured(cells: Cells): string {
  let result = "";
  let now = "";
  for (const { segment, colour } of cells) {
    if (colour !== now) result += `${now === "" ? "" : "\u001b[0m"}${colour}`;
    now = colour;
    result += segment;
  }
  return now === "" ? result : `${result}\u001b[0m`;
}

/** The last `width` columns of steady text, for input fields. */
export function tailOf(text: string, width: number): string {
  const segments = [...graphemesOf(text)].map(({ segment }) => segment);
  let used = 0;
  let from = segments.length;
  while (from > 0 && used + graphemeWidth(segments[from - 1] ?? "") <= width) {
    from -= 1;
    used += graphemeWidth(segments[from] ?? "");
  }
  return segments.slice(from).join("");
}

/** The same value with every text in it made steady. */
export function steadied<T>(value: T): T {
  if (typeof value === "string") return steady(value) as T;
  if (Array.isArray(value)) return value.map(steadied) as T;
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, steadied(part)])) as T;
}
