import type { Cell, Head } from "./table.ts";
import type { TerminalFormat } from "./terminal-format.ts";

/** What records are called, and what `--fields` can choose of them. */
export interface Shown {
  /** What a person calls them: `cameras`. */
  readonly plural: string;
  readonly fields: readonly string[];
}

/** How rows of one kind are shown. */
export interface RowView<T> extends Shown {
  /** The columns of CSV: every field of the record. */
  readonly fields: readonly (keyof T & string)[];
  id(record: T): string | number;
  readonly columns: readonly Column<T>[];
}

/** How records of one kind are shown, each by itself too. */
export interface View<T> extends RowView<T> {
  /** One record for a person: its lines, label and value. */
  details(record: T, terminal: TerminalFormat): readonly (readonly [string, Cell])[];
  /** What follows the lines. */
  more?(record: T, terminal: TerminalFormat): string;
}

/** A column of the table of a list. */
export interface Column<T> extends Head {
  cell(record: T, terminal: TerminalFormat): Cell;
}
