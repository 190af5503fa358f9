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

/** Yields a file of media type text/csv, in UTF-8. Only the header is written before the first rows arrive. */
export async function* csvFile(titles: readonly string[], batches: RowBatches): AsyncGenerator<Uint8Array> {
  let text = csvLine(titles);
  for await (const rows of batches) {
    for (const row of rows) text += csvLine(row);
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

/**
 * Returns one line of CSV (RFC 4180, with its CRLF). Text that a spreadsheet would run as a formula gets an apostrophe in front, times
 * are ISO 8601 in UTC, lists and records JSON.
 */
export function csvLine(values: readonly unknown[]): string {
  let line = "";
  for (const [at, value] of values.entries()) line += at === 0 ? csvCell(value) : `,${csvCell(value)}`;
  return `${line}\r\n`;
}

function csvCell(value: unknown): string {
  const text = cellText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * In countries with a decimal comma, spreadsheets end a cell at each semicolon or tab, even within quotes: a formula may begin there as
 * well.
 */
function asText(text: string): string {
  const later = text.includes(";") || text.includes("\t") ? text.replace(/(?<!^)([;\t] *)(?=[=+\-@＝＋－＠])/g, "$1'") : text;
  return looksLikeFormula(text) ? `'${later}` : later;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return asText(value);
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
