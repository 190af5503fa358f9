/** A line that does not have the form NAME=value, in a file of such lines. */
export interface MalformedLine {
  /** Counted from 1. */
  readonly number: number;
  /** The name that the line has become part of, if the parser joined it with the lines after it. */
  readonly swallowed: string | undefined;
  /** The first word of the line. */
  readonly word: string;
}

/** An assignment whose unquoted value contains a #, which ends the value. */
export interface CutLine {
  /** Counted from 1. */
  readonly number: number;
  readonly name: string;
}

/**
 * Finds the assignments whose value ends at a # that touches the character before it, or that begins the value without a space behind it.
 * Such a # begins a comment for the parser, but people mean a part of a password.
 */
export function cutLines(text: string): readonly CutLine[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    const [, name, value = ""] = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*)$/.exec(line) ?? [];
    const hash = value.indexOf("#");
    const touches = hash === 0 ? /^#\S/.test(value) : hash > 0 && !/\s/.test(value.charAt(hash - 1));
    const isCut = name !== undefined && !/^["'`]/.test(value) && touches;
    return isCut ? [{ number: at + 1, name }] : [];
  });
}

/**
 * Finds the lines that are neither an assignment nor a comment, nor part of a value with several lines. Depending on its version, Node.js
 * skips such a line or joins it with the next name, so that the variable on the next line has no effect.
 */
export function malformedLines(text: string, values: Readonly<Record<string, string>>): readonly MalformedLine[] {
  const names = Object.keys(values).filter((name) => name.includes("\n"));
  const texts = Object.values(values).filter((value) => value.includes("\n"));
  return text.split(/\r?\n/).flatMap((whole, at) => {
    const line = whole.trim();
    if (line === "" || line.startsWith("#") || line.includes("=") || texts.some((value) => value.includes(line))) return [];
    const swallowed = names.find((name) => name.split(/\r?\n/).some((part) => part.trim() === line));
    return [{ number: at + 1, swallowed, word: /^[\w.-]*/.exec(line)?.[0] ?? "" }];
  });
}
