import Table from "cli-table3";
import { displayWidth, type Paint, paint, plain, type TerminalFormat } from "./terminal-format.ts";

/** The text and the colour of a cell. */
export interface Cell {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export interface Head {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Other columns are narrowed or dropped first. */
  readonly keep?: boolean;
}

const gap = 2;
/** The least useful width: optional columns are dropped below it, others are narrowed further. */
const readable = 8;
const narrowest = 4;

/**
 * Formats a table without borders, one line per row; cells that do not fit end in "…". On a narrow terminal, drops columns from
 * the right unless they have `keep`.
 */
export function table(terminal: TerminalFormat, heads: readonly Head[], rows: readonly (readonly Cell[])[]): string {
  return [...tableParts(terminal, heads, rows)].join("");
}

/** The same table in parts. */
export function* tableParts(terminal: TerminalFormat, allHeads: readonly Head[], allRows: readonly (readonly Cell[])[]): Generator<string> {
  const all = allRows.map((row) => row.map((cell) => ({ ...cell, text: plain(cell.text) })));
  const natural = allHeads.map(({ title }, column) =>
    all.reduce((width, row) => Math.max(width, displayWidth(row[column]?.text ?? "")), displayWidth(title)),
  );
  const fitted = fittedColumns(allHeads, natural, terminal.width);
  const titles = allHeads.map(({ title }): Cell => ({ text: title, paint: "bold" }));
  const rows = [titles, ...all];
  for (let first = 0; first < rows.length; first += rowsPerPart) {
    const drawn = new Table({
      colWidths: fitted.map(({ width }) => width + gap),
      colAligns: fitted.map(({ column }) => allHeads[column]?.align ?? "left"),
      style: { head: [], border: [], "padding-left": 0, "padding-right": gap, compact: true },
      chars: noBorders,
    });
    for (const row of rows.slice(first, first + rowsPerPart))
      drawn.push(fitted.map(({ column }) => paint(terminal, row[column]?.paint, row[column]?.text ?? "")));
    const lines = drawn.toString().split("\n");
    yield lines.map((line) => `${line.trimEnd()}\n`).join("");
  }
}

/** Rows per part: the time to format a table grows with the square of its rows. */
const rowsPerPart = 100;

const noBorders = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"])
    .map((place) => [place, ""]),
);

interface Fitted {
  readonly column: number;
  readonly width: number;
}

/** The shown columns with their widths: all if they are readable, else fewer. */
function fittedColumns(heads: readonly Head[], natural: readonly number[], available: number): readonly Fitted[] {
  let shown = heads.map((_, column) => column);
  for (;;) {
    const widths = narrowed(
      shown.map((column) => ({ natural: natural[column] ?? 0, least: heads[column]?.keep ? Number.POSITIVE_INFINITY : readable })),
      available,
    );
    const optional = shown.findLast((column) => heads[column]?.keep !== true);
    if (totalOf(widths) <= available) return shown.map((column, at) => ({ column, width: widths[at] ?? 0 }));
    if (optional === undefined) break;
    shown = shown.filter((column) => column !== optional);
  }
  while (shown.length > 1 && shown.length * (narrowest + gap) - gap > available) shown = shown.slice(0, -1);
  const widths = narrowed(
    shown.map((column) => ({ natural: natural[column] ?? 0, least: narrowest })),
    available,
  );
  return shown.map((column, at) => ({ column, width: widths[at] ?? 0 }));
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
}

/** Narrows the widest column until everything fits or no column can shrink further. */
function narrowed(columns: readonly { readonly natural: number; readonly least: number }[], available: number): number[] {
  const widths = columns.map(({ natural }) => natural);
  while (totalOf(widths) > available) {
    const candidates = widths.map((width, at) => (width > (columns[at]?.least ?? 0) ? width : 0));
    const widest = Math.max(...candidates);
    if (widest === 0) break;
    const column = candidates.indexOf(widest);
    widths[column] = widest - 1;
  }
  return widths;
}
