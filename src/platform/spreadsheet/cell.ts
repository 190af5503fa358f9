/** What stands in a cell. */
export type Cell = string | number | boolean | Date | null;

/** Rows as they come, some at a time. */
export type RowBatches = AsyncIterable<readonly (readonly Cell[])[]>;

/**
 * Whether a spreadsheet could take this text for a formula, and run it, when it is opened or typed over: what cameras and people write is
 * not to start programs on somebody's desk.
 */
export function looksLikeFormula(text: string): boolean {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text);
}
