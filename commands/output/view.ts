import type { z } from "zod";
import type { Route } from "../../src/contract/route.ts";
import type { OperationId, ReplyOf } from "../../src/contract/routes/index.ts";
import type { Cell, Head } from "./table.ts";
import type { TerminalFormat } from "./terminal-format.ts";

/** The formats of `-o`. */
export const outputFormats = ["table", "json", "ndjson", "csv", "yaml", "id"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The name and the fields of records. */
export interface Shown {
  /** The plural in messages, such as `cameras`. */
  readonly plural: string;
  /** Every field of the record; the columns of CSV. */
  fields(): readonly string[] | Promise<readonly string[]>;
}

/** The fields of a reply, or of the rows of its `list`, from its schema. */
export function fieldsOf<K extends OperationId>(operation: K, list?: keyof ReplyOf<K> & string): Shown["fields"] {
  return async () => {
    const { loadRoute } = await import("../../src/contract/routes/plans.ts");
    const { shape } = ((await loadRoute(operation)) as Route).reply as z.ZodObject;
    return Object.keys(list === undefined ? shape : ((shape[list] as z.ZodArray).element as z.ZodObject).shape);
  };
}

/** How to print rows of one kind. */
export interface RowView<T> extends Shown {
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
  /** Holds ids: UUIDs are shortened on a terminal, where commands also accept the short form. */
  readonly isId?: boolean;
  cell(record: T, terminal: TerminalFormat): Cell;
}

/** The same view without the lines of a record: a note says in a table what was done. */
export function withoutDetails<T>(view: View<T>): View<T> {
  return { ...view, details: () => [], more: () => "" };
}
