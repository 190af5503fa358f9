/** A line of a file of the form NAME=value that is not of that form. */
export interface StrayLine {
  /** Counted from 1. */
  readonly number: number;
  /** Of what is read of the file, the name that the line has become a part of: it runs together with the lines after it. */
  readonly swallowed: string | undefined;
  /** The word with which it begins. */
  readonly word: string;
}

/**
 * Finds the lines that hold neither a value nor a comment, and are no part of a value of several lines. Depending on its version Node.js leaves
 * such a line out, or takes it as the beginning of the next name, so that the variable on the next line has no effect.
 */
export function strayLines(text: string, values: Readonly<Record<string, string>>): readonly StrayLine[] {
  const names = Object.keys(values).filter((name) => name.includes("\n"));
  const texts = Object.values(values).filter((value) => value.includes("\n"));
  return text.split(/\r?\n/).flatMap((whole, at) => {
    const line = whole.trim();
    if (line === "" || line.startsWith("#") || line.includes("=") || texts.some((value) => value.includes(line))) return [];
    const swallowed = names.find((name) => name.split(/\r?\n/).some((part) => part.trim() === line));
    return [{ number: at + 1, swallowed, word: /^[\w.-]*/.exec(line)?.[0] ?? "" }];
  });
}
