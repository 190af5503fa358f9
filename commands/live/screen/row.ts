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

/** The width that remains beside the mark and the other cells. */
export function leftOf(width: number, others: readonly number[]): number {
  return Math.max(0, width - 2 - others.reduce((sum, other) => sum + (other > 0 ? other + 1 : 0), 0));
}

/** Puts `left` and `right` at the two ends of a line; cuts `left` first. */
export function spread(left: string, right: string, width: number): string {
  const room = width - cellWidth(right);
  return room < 4 ? fitted(right, width) : `${fitted(left, room - 1)} ${right}`;
}
