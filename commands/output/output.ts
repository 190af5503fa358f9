import { setImmediate } from "node:timers/promises";
import { typable } from "../../src/base/text/format.ts";
import { csvLine } from "../../src/platform/spreadsheet/csv.ts";
import { chosen, narrowedView } from "./fields.ts";
import { mostRows } from "./pages.ts";
import { shortIds } from "./short-ids.ts";
import type { Cell } from "./table.ts";
import { paint, plain, type TerminalFormat } from "./terminal-format.ts";
import type { OutputFormat, RowView, View } from "./view.ts";
import { wrapped } from "./wrap.ts";

/** The reply of a list route: rows under one key, and the pagination. */
export interface Paged {
  readonly pagination: {
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
    readonly next_cursor: string | null;
    readonly has_more: boolean;
  };
}

/** Prints results to stdout and notes to stderr. */
export interface Output {
  readonly format: OutputFormat;
  /** The fields of --fields; undefined prints all. */
  readonly fields?: readonly string[] | undefined;
  readonly terminal: TerminalFormat;
  write(text: string): void;
  /**
   * Writes at the pace of the reader. Resolves to true when the system has accepted the text, to false if `until` aborts first.
   * Never resolves after a write error, which ends the program.
   */
  writeThrough(text: string, until: AbortSignal): Promise<boolean>;
  /** Prints a note for the user; nothing with --quiet. */
  note(text: string): void;
}

/**
 * Prints the pages of a list as they arrive; tables, JSON and YAML wait for all pages. `bodyOf` joins all pages to one body.
 * Resolves to the number of rows.
 */
export async function printList<T, B extends Paged>(
  output: Output,
  pages: AsyncIterable<B>,
  rowsOf: (body: B) => readonly T[],
  given: RowView<T>,
  bodyOf: (bodies: readonly B[]) => unknown = joined,
): Promise<number> {
  const view = await narrowedView(given, output.fields);
  const bodies: B[] = [];
  const rows: T[] = [];
  let count = 0;
  const print = isWhole(output) || output.format === "table" ? undefined : await rowPrinter(output, view);
  for await (const body of pages) {
    const some = rowsOf(body);
    count += some.length;
    if (print) some.forEach(print);
    else {
      bodies.push(body);
      rows.push(...some);
    }
  }
  if (isWhole(output)) await printWhole(output, bodyOf(bodies), rows);
  if (output.format === "table") await printTable(output, rows, bodies.at(-1)?.pagination.total ?? 0, view);
  return count;
}

/** Prints complete rows; JSON and YAML print `body`. */
export async function printRows<T>(output: Output, rows: readonly T[], given: RowView<T>, body: unknown): Promise<void> {
  const view = await narrowedView(given, output.fields);
  if (isWhole(output)) await printWhole(output, body, rows);
  else if (output.format === "table") await printTable(output, rows, rows.length, view);
  else rows.forEach(await rowPrinter(output, view));
}

/** Prints one record. */
export async function printRecord<T>(output: Output, record: T, given: View<T>): Promise<void> {
  const { fields } = output;
  const view = await narrowedView(given, fields);
  if (isWhole(output)) await printBody(output, fields === undefined ? record : chosen(record, fields));
  else if (output.format === "table") printDetails(output, record, view);
  else (await rowPrinter(output, view))(record);
}

/** Prints a body as JSON or YAML; prints nothing for tables. */
async function printBody(output: Output, body: unknown): Promise<void> {
  if (output.format === "yaml") {
    const { stringify } = await import("yaml");
    output.write(stringify(JSON.parse(JSON.stringify(body ?? null)), { lineWidth: 0 }));
  } else if (output.format !== "table") output.write(json(body));
}

/** Formats a body as indented JSON. */
export function json(body: unknown): string {
  return `${JSON.stringify(body, null, 2)}\n`;
}

/** Whether the format prints a list as one value. */
function isWhole({ format }: Output): boolean {
  return format === "json" || format === "yaml";
}

/** Prints the body of a list; with --fields, reduces its rows to these fields wherever they are in the body. */
async function printWhole(output: Output, body: unknown, rows: readonly unknown[]): Promise<void> {
  const { fields } = output;
  if (fields === undefined) return await printBody(output, body);
  const some = rows.map((row) => chosen(row, fields));
  const entries = Object.entries(body ?? {});
  const at = entries.findIndex(
    ([, value]) => Array.isArray(value) && value.length === rows.length && value.every((row, i) => row === rows[i]),
  );
  const [key] = entries[at] ?? [];
  await printBody(output, key === undefined ? some : { ...(body as object), [key]: some });
}

/** Returns the function that prints a row as CSV, NDJSON or id. Prints the header of CSV. */
async function rowPrinter<T>({ format, fields, write }: Output, view: RowView<T>): Promise<(row: T) => void> {
  if (format === "id") return (row) => write(`${view.id(row)}\n`);
  if (format !== "csv") return (row) => write(`${JSON.stringify(fields === undefined ? row : chosen(row, fields))}\n`);
  const columns = await view.fields();
  write(csvLine(columns));
  return (row) => write(csvLine(Object.values(chosen(row, columns))));
}

async function printTable<T>(output: Output, rows: readonly T[], total: number, view: RowView<T>): Promise<void> {
  if (rows.length === 0) return output.note(`no ${view.plural}`);
  const { tableParts } = await import("./table.ts");
  const { terminal } = output;
  const cells = cellsOf(rows, view, terminal);
  for (const part of tableParts(terminal, view.columns, cells)) {
    output.write(part);
    // Lets Ctrl-C interrupt a long table
    await setImmediate();
  }
  const more = total <= mostRows ? `; use --limit ${total} for all` : "";
  if (rows.length < total) output.note(`${rows.length} of ${total} ${view.plural}${more}`);
}

/** The cells of each row. On a terminal, ids are as short as they can be typed. */
function cellsOf<T>(rows: readonly T[], { columns }: RowView<T>, terminal: TerminalFormat): readonly (readonly Cell[])[] {
  const cells = rows.map((row) => columns.map((column) => column.cell(row, terminal)));
  if (!Number.isFinite(terminal.width)) return cells;
  const short = columns.map(({ isId }, at) => (isId ? shortIds(cells.map((row) => row[at]?.text ?? "")) : undefined));
  return cells.map((row, line) => row.map((cell, at) => ({ ...cell, text: short[at]?.[line] ?? cell.text })));
}

function printDetails<T>(output: Output, record: T, view: View<T>): void {
  const { terminal } = output;
  const lines = view.details(record, terminal);
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  for (const [label, cell] of lines) {
    const text = wrapped(plain(typable(cell.text, terminal.called)) || "-", terminal.width - width).join(`\n${" ".repeat(width)}`);
    output.write(`${paint(terminal, "dim", label.padEnd(width))}${paint(terminal, cell.paint, text)}\n`);
  }
  const more = view.more?.(record, terminal) ?? "";
  if (more !== "") output.write(`\n${more}`);
}

/** Joins pages to one body: all rows, with the pagination of the last page. */
function joined<B extends Paged>(bodies: readonly B[]): object {
  const [first, ...others] = bodies;
  const last = bodies.at(-1);
  if (first === undefined || last === undefined || others.length === 0) return first ?? {};
  const lists = Object.entries(first).flatMap(([key, value]) =>
    Array.isArray(value) ? [[key, bodies.flatMap((body) => (body as unknown as Record<string, unknown[]>)[key] ?? [])] as const] : [],
  );
  const rows = lists[0]?.[1].length ?? 0;
  const counted = "count" in first ? { count: rows } : {};
  return { ...first, ...Object.fromEntries(lists), ...counted, pagination: { ...last.pagination, limit: rows, offset: 0 } };
}
