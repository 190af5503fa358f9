import type { Paint, TerminalFormat } from "../../output/terminal-format.ts";
import { paint } from "../../output/terminal-format.ts";
import { cellWidth, fitted, steady } from "../text.ts";

/** A part of a row. */
export interface RowCell {
  /** As it came from outside. */
  readonly text: string;
  readonly width: number;
  readonly paint?: Paint | undefined;
}

export interface RowState {
  readonly chosen: boolean;
  /** Whether the keys go to this list. */
  readonly focused: boolean;
}

/** A row of a list: its mark, and its cells with a space between. Cells without room are left out. */
export function row(terminal: TerminalFormat, { chosen, focused }: RowState, cells: readonly RowCell[]): string {
  const mark = chosen ? (focused ? "▸ " : "▹ ") : "  ";
  const inverse = chosen && focused && terminal.colour;
  // colours turned round would be patches
  const parts = cells
    .filter(({ width }) => width > 0)
    .map((cell) => paint(terminal, inverse ? undefined : cell.paint, fitted(steady(cell.text), cell.width)));
  const text = mark + parts.join(" ");
  return inverse ? `\u001b[7m${text}\u001b[27m` : text;
}

/** What is left of a width beside the mark and other cells with a space after each. */
export function leftOf(width: number, others: readonly number[]): number {
  return Math.max(0, width - 2 - others.reduce((sum, other) => sum + (other > 0 ? other + 1 : 0), 0));
}

/** `left` and `right` at the two ends of a line; the right one is cut last. */
export function spread(left: string, right: string, width: number): string {
  const room = width - cellWidth(right);
  return room < 4 ? fitted(right, width) : `${fitted(left, room - 1)} ${right}`;
}
