import type { Paint, TerminalFormat } from "../../output/terminal-format.ts";
import { paint } from "../../output/terminal-format.ts";
import { cellWidth, fitted, steady } from "../text.ts";

/** A cell of a row. */
export interface RowCell {
  /** Untrusted text. */
  readonly text: string;
  readonly width: number;
  readonly paint?: Paint | undefined;
}

export interface RowState {
  readonly selected: boolean;
  /** Whether the list has the focus. */
  readonly focused: boolean;
}

/** A row of a list: mark and cells, separated by spaces. Skips cells of width 0. */
export function row(terminal: TerminalFormat, { selected, focused }: RowState, cells: readonly RowCell[]): string {
  const mark = selected ? (focused ? "▸ " : "▹ ") : "  ";
  const inverse = selected && focused && terminal.colour;
  // Inverted colours would look like patches
  const parts = cells
    .filter(({ width }) => width > 0)
    .map((cell) => paint(terminal, inverse ? undefined : cell.paint, fitted(steady(cell.text), cell.width)));
  const text = mark + parts.join(" ");
  return inverse ? `\u001b[7m${text}\u001b[27m` : text;
}

/** A title of a column. */
export interface ColumnTitle {
  readonly text: string;
  readonly width: number;
}

/** The line with the titles of the columns of a list; undefined in a panel without room, or without rows. */
export function columnTitles(terminal: TerminalFormat, height: number, rows: number, columns: readonly ColumnTitle[]): string | undefined {
  if (rows === 0 || listRows(height) === height - 1) return undefined;
  const cells = columns.map(({ text, width }) => ({ text, width, paint: "dim" as const }));
  return row(terminal, { selected: false, focused: false }, cells);
}

/** The rows of a list that fit into a panel of this height, below its title and the titles of its columns. */
export function listRows(height: number): number {
  return height >= 4 ? height - 2 : Math.max(0, height - 1);
}

/** The width that remains beside the mark and the other cells. */
export function leftOf(width: number, others: readonly number[]): number {
  return Math.max(0, width - 2 - others.reduce((sum, other) => sum + (other > 0 ? other + 1 : 0), 0));
}

/** Puts `left` and `right` at the two ends of a line; cuts `left` first. */
export function spread(left: string, right: string, width: number): string {
  const room = width - cellWidth(right);
  return room < 4 ? fitted(right, width) : `${fitted(left, room - 1)} ${right}`;
}
