import { offsetIn } from "../../base/clock/time-zone.ts";

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

/** How Excel reads CSV by a double click: the separator of its locale, and times that it takes for times, in this zone. */
export interface ExcelDialect {
  readonly separator: "," | ";";
  readonly timeZone: string;
}

/** Without it Excel reads UTF-8 as the code page of its locale. */
export const byteOrderMark = "\ufeff";

/** Yields a file of media type text/csv, in UTF-8. Only the header is written before the first rows arrive. */
export async function* csvFile(titles: readonly string[], batches: RowBatches, excel?: ExcelDialect): AsyncGenerator<Uint8Array> {
  let text = `${excel ? byteOrderMark : ""}${csvLine(titles, excel)}`;
  for await (const rows of batches) {
    for (const row of rows) text += csvLine(row, excel);
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

/**
 * Returns one line of CSV (RFC 4180, with its CRLF). Text that a spreadsheet would run as a formula gets an apostrophe in front, times
 * are ISO 8601 in UTC, lists and records JSON. Control characters are written as in JSON, such as `\\u001b`. For Excel times are
 * `2026-01-31 23:15:00`, which every locale takes for a time.
 */
export function csvLine(values: readonly unknown[], excel?: ExcelDialect): string {
  return `${values.map((value) => csvCell(value, excel)).join(excel?.separator ?? ",")}\r\n`;
}

/** Control characters except tabs and line ends, and marks that reorder text: a terminal would obey them. */
const risky = /[^\P{Cc}\t\n\r]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Whether a text must be changed: by far most cells need not be, and one look at them is cheaper than four. */
const careful = /^[=+\-@＝＋－＠]|[",;\t\r\n]|[^\P{Cc}]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function csvCell(value: unknown, excel: ExcelDialect | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value instanceof Date) return excel ? localText(value, excel.timeZone) : value.toISOString();
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return careful.test(text) ? carefulCell(typeof value === "string" ? asText(text) : text, excel) : text;
}

function carefulCell(given: string, excel: ExcelDialect | undefined): string {
  const text = given.replace(risky, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const special = excel ? /[",;\r\n]/ : /[",\r\n]/;
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function localText(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetIn(timeZone)(at.getTime())).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the title of a column, with the zone if the column has times. */
export function zonedTitle(title: string, timeZone: string): string {
  return title.endsWith("_at") ? `${title} (${timeZone})` : title;
}

/**
 * In countries with a decimal comma, spreadsheets end a cell at each semicolon or tab, even within quotes: a formula may begin there as
 * well.
 */
function asText(text: string): string {
  const later = text.includes(";") || text.includes("\t") ? text.replace(/(?<!^)([;\t] *)(?=[=+\-@＝＋－＠])/g, "$1'") : text;
  return looksLikeFormula(text) ? `'${later}` : later;
}
