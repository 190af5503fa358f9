import type { Cell, Head } from "./table.ts";
import type { TerminalFormat } from "./terminal-format.ts";

/** The name and the fields of records. */
export interface Shown {
  /** The plural in messages, such as `cameras`. */
  readonly plural: string;
  readonly fields: readonly string[];
}

/** How to print rows of one kind. */
export interface RowView<T> extends Shown {
  /** Every field of the record; the columns of CSV. */
  readonly fields: readonly (keyof T & string)[];
  id(record: T): string | number;
  readonly columns: readonly Column<T>[];
}

/** How to print records of one kind, as rows and one by one. */
export interface View<T> extends RowView<T> {
  /** The lines of one record: label and value. */
  details(record: T, terminal: TerminalFormat): readonly (readonly [string, Cell])[];
  /** Text below the lines. */
  more?(record: T, terminal: TerminalFormat): string;
}

/** A column of a list. */
export interface Column<T> extends Head {
  cell(record: T, terminal: TerminalFormat): Cell;
}
