import Table from "cli-table3";
import { displayWidth, type Paint, type People, paint, plain } from "./people.ts";

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
const narrowest = 4;

/** Columns side by side, without borders, one line a row; what does not fit into the width ends in "…". */
export function table(people: People, heads: readonly Head[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => ({ ...cell, text: plain(cell.text) })));
  const widths = narrowed(
    heads,
    heads.map((head, column) => Math.max(...[head.title, ...cells.map((row) => row[column]?.text ?? "")].map(displayWidth))),
    people.width,
  );
  const drawn = new Table({
    head: heads.map((head) => paint(people, "bold", head.title)),
    colWidths: widths.map((width) => width + gap),
    colAligns: heads.map((head) => head.align ?? "left"),
    style: { head: [], border: [], "padding-left": 0, "padding-right": gap, compact: true },
    chars: noBorders,
  });
  drawn.push(...cells.map((row) => row.map((cell) => paint(people, cell.paint, cell.text))));
  return drawn
    .toString()
    .split("\n")
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

const noBorders = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"])
    .map((place) => [place, ""]),
);

/** Takes from the widest column that may give way until everything fits; then from those that should stay whole. */
function narrowed(heads: readonly Head[], natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
  for (const mayShrink of [(head: Head) => head.keep !== true, () => true]) {
    while (total() > available) {
      const candidates = widths.map((width, column) => (mayShrink(heads[column] as Head) && width > narrowest ? width : 0));
      const widest = Math.max(...candidates);
      if (widest === 0) break;
      const column = candidates.indexOf(widest);
      widths[column] = widest - Math.min(1, total() - available);
    }
  }
  return widths;
}
