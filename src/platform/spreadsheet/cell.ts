/** The value of a cell. */
export type Cell = string | number | boolean | Date | null;

/** Rows as they arrive, in batches. */
export type RowBatches = AsyncIterable<readonly (readonly Cell[])[]>;

/**
 * Tells whether a spreadsheet might run this text as a formula when the file is opened or edited: texts from cameras and people must not
 * start programs.
 */
export function looksLikeFormula(text: string): boolean {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text);
}
