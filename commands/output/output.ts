import { csvLine } from "../../src/spreadsheet/csv.ts";
import type { OutputFormat } from "./formats.ts";
import { type People, paint, plain } from "./people.ts";
import type { RowView, View } from "./view.ts";
import { wrapped } from "./wrap.ts";

/** The reply of a list route: its rows under one key, and the pagination. */
export interface ListBody {
  readonly pagination: {
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
    readonly next_cursor: string | null;
    readonly has_more: boolean;
  };
}

/** Where results go: data to `write`, remarks to `note`. */
export interface Output {
  readonly format: OutputFormat;
  readonly people: People;
  write(text: string): void;
  /** For the person at the terminal, not for the program behind the pipe. Silent with --quiet. */
  note(text: string): void;
}

/** Prints the pages of a list as they come; a table and a JSON body only when all are there. */
export async function printList<T, B extends ListBody>(
  output: Output,
  pages: AsyncIterable<B>,
  rowsOf: (body: B) => readonly T[],
  view: RowView<T>,
): Promise<void> {
  const bodies: B[] = [];
  if (output.format === "csv") output.write(csvLine(view.fields));
  for await (const body of pages) {
    if (output.format === "table" || output.format === "json") bodies.push(body);
    else for (const row of rowsOf(body)) printRow(output, row, view);
  }
  if (output.format === "json") output.write(json(joined(bodies)));
  if (output.format === "table") await printTable(output, bodies.flatMap(rowsOf), bodies.at(-1)?.pagination.total ?? 0, view);
}

/** Prints rows that are all there already; `body` is what they are as JSON. */
export async function printRows<T>(output: Output, rows: readonly T[], view: RowView<T>, body: unknown): Promise<void> {
  if (output.format === "json") return output.write(json(body));
  if (output.format === "table") return printTable(output, rows, rows.length, view);
  if (output.format === "csv") output.write(csvLine(view.fields));
  for (const row of rows) printRow(output, row, view);
}

/** Prints one record. */
export async function printRecord<T>(output: Output, record: T, view: View<T>): Promise<void> {
  if (output.format === "json") output.write(json(record));
  else if (output.format === "table") printDetails(output, record, view);
  else {
    if (output.format === "csv") output.write(csvLine(view.fields));
    printRow(output, record, view);
  }
}

/** The body as the API sends it. */
export function json(body: unknown): string {
  return `${JSON.stringify(body, null, 2)}\n`;
}

function printRow<T>(output: Output, row: T, view: RowView<T>): void {
  if (output.format === "csv") output.write(csvLine(view.fields.map((field) => row[field])));
  else output.write(output.format === "id" ? `${view.id(row)}\n` : `${JSON.stringify(row)}\n`);
}

async function printTable<T>(output: Output, rows: readonly T[], total: number, view: RowView<T>): Promise<void> {
  if (rows.length === 0) return output.note(`no ${view.plural}`);
  const { table } = await import("./table.ts");
  const { people } = output;
  output.write(
    table(
      people,
      view.columns,
      rows.map((row) => view.columns.map((column) => column.cell(row, people))),
    ),
  );
  if (rows.length < total) output.note(`${rows.length} of ${total} ${view.plural}; --limit ${total} shows all`);
}

function printDetails<T>(output: Output, record: T, view: View<T>): void {
  const { people } = output;
  const lines = view.details(record, people);
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  for (const [label, cell] of lines) {
    const text = wrapped(plain(cell.text), people.width - width).join(`\n${" ".repeat(width)}`);
    output.write(`${paint(people, "dim", label.padEnd(width))}${paint(people, cell.paint, text)}\n`);
  }
  const more = view.more?.(record, people) ?? "";
  if (more !== "") output.write(`\n${more}`);
}

/** Several pages as one body: the rows of all, the pagination of the last. */
function joined<B extends ListBody>(bodies: readonly B[]): object {
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
