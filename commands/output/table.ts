import Table from "cli-table3";
import { displayWidth, type Paint, paint, plain, type TerminalFormat } from "./terminal-format.ts";

/** One cell: its text, and its colour where there are colours. */
export interface Cell {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export interface Head {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Stays whole while other columns can still give way. */
  readonly keep?: boolean;
}

const gap = 2;
/** Narrower than this a column says nothing any more: one that may give way is left out, one that stays is cut still further. */
const readable = 8;
const narrowest = 4;

/**
 * Columns side by side, without borders, one line a row; what does not fit into the width ends in "…". On a narrow terminal
 * columns are left out from the right, but for those that stay.
 */
export function table(terminal: TerminalFormat, heads: readonly Head[], rows: readonly (readonly Cell[])[]): string {
  return [...tableParts(terminal, heads, rows)].join("");
}

/** The same in parts, each as soon as it is drawn. */
export function* tableParts(terminal: TerminalFormat, allHeads: readonly Head[], allRows: readonly (readonly Cell[])[]): Generator<string> {
  const all = allRows.map((row) => row.map((cell) => ({ ...cell, text: plain(cell.text) })));
  const natural = allHeads.map(({ title }, column) =>
    all.reduce((width, row) => Math.max(width, displayWidth(row[column]?.text ?? "")), displayWidth(title)),
  );
  const fitted = fittedColumns(allHeads, natural, terminal.width);
  const titles = allHeads.map(({ title }): Cell => ({ text: title, paint: "bold" }));
  const rows = [titles, ...all];
  for (let first = 0; first < rows.length; first += drawnAtOnce) {
    const drawn = new Table({
      colWidths: fitted.map(({ width }) => width + gap),
      colAligns: fitted.map(({ column }) => allHeads[column]?.align ?? "left"),
      style: { head: [], border: [], "padding-left": 0, "padding-right": gap, compact: true },
      chars: noBorders,
    });
    for (const row of rows.slice(first, first + drawnAtOnce))
      drawn.push(fitted.map(({ column }) => paint(terminal, row[column]?.paint, row[column]?.text ?? "")));
    const lines = drawn.toString().split("\n");
    yield lines.map((line) => `${line.trimEnd()}\n`).join("");
  }
}

/** The time that a table takes to draw grows with the square of its rows. */
const drawnAtOnce = 100;

const noBorders = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"])
    .map((place) => [place, ""]),
);

interface Fitted {
  readonly column: number;
  readonly width: number;
}

/** Which columns are shown, and how wide: all of them if that can be read, else fewer. */
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

/** Takes from the widest column until everything fits, or all are as narrow as they may be. */
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
