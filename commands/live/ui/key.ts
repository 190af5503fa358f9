import { graphemesOf } from "../../../src/base/text/format.ts";

const named = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "interrupt",
  "\u0015": "clear",
  "\u0017": "clear-word",
  "\u0006": "page-down",
  "\u0002": "page-up",
  "\u000c": "redraw",
} as const;

/** Keys by the end of their escape sequence. */
const sequences = {
  ...{ A: "up", B: "down", C: "right", D: "left", H: "home", F: "end", Z: "back-tab" },
  ...{ "1~": "home", "4~": "end", "5~": "page-up", "6~": "page-down", "7~": "home", "8~": "end" },
} as const;

export type NamedKey = (typeof named)[keyof typeof named] | (typeof sequences)[keyof typeof sequences] | "escape";

/** A key: a named key or a character. */
export type Key = NamedKey | { readonly text: string };

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send escape characters
const sequence = /^\u001b(?:\[([\d;:<=>?]*)([ -/]*[@-~])|O([A-Za-z])|[_P][^\u001b]*\u001b\\|(?=\u001b|$))/;

/**
 * Parses the keys in a chunk of terminal input, which may contain several. Ignores unknown sequences and late answers of the terminal. `rest` is an incomplete
 * sequence at the end.
 */
export function readKeys(input: string): { readonly keys: readonly Key[]; readonly rest: string } {
  const keys: Key[] = [];
  let left = input;
  while (left !== "") {
    if (left.startsWith("\u001b")) {
      if (isUnfinished(left)) return { keys, rest: left };
      const [whole = "\u001b", numbers = "", last = "", single = ""] = sequence.exec(left) ?? [];
      const key = keyOf(numbers, last, single, whole);
      if (key !== undefined) keys.push(key);
      left = left.slice(whole.length);
      continue;
    }
    const [{ segment } = { segment: "" }] = graphemesOf(left);
    left = left.slice(segment.length);
    const name = named[segment as keyof typeof named];
    if (name !== undefined) keys.push(name);
    else if (!/\p{Cc}/u.test(segment)) keys.push({ text: segment });
  }
  return { keys, rest: "" };
}

/** A single escape may be the key or the start of a sequence; only time tells. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const isUnfinished = (text: string): boolean => /^\u001b(?:\[[\d;:<=>?]*[ -/]*|O|[_P][^\u001b]*\u001b?)?$/.test(text);

function keyOf(numbers: string, last: string, single: string, whole: string): Key | undefined {
  if (whole === "\u001b") return "escape";
  // Ignores modifiers, which follow a semicolon
  const name = last === "~" ? `${numbers.split(";")[0]}~` : last || single;
  return sequences[name as keyof typeof sequences];
}
