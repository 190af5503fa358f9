import { type Argument, type Command, type Definition, defineCommand, type Input } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { type Option, rowLimit } from "./input/options.ts";
import type { Io } from "./io.ts";
import { type Paged, printList, printRecord, printRows } from "./output/output.ts";
import { pages } from "./output/pages.ts";
import type { RowView, View } from "./output/view.ts";

type Arguments = Record<string, Argument<unknown>>;
type Options = Record<string, Option<unknown>>;
type None = Record<never, never>;
type Head<A, O> = Omit<Definition<A, O>, "prints" | "run">;

interface RecordShape<T, A, O> extends Head<A, O> {
  readonly view: View<T>;
  /** Makes the requests. Throws `Problem`. */
  record(io: Io, input: Input<A, O>): Promise<T>;
  /** A note above the record. */
  note?(record: T, input: Input<A, O>): string | undefined;
  /** More notes above the record. */
  before?(io: Io, record: T, input: Input<A, O>): Promise<void>;
  /** Changes the view for this record. */
  viewOf?(io: Io, record: T, input: Input<A, O>): View<T> | Promise<View<T>>;
  /** Notes below the record. */
  after?(io: Io, record: T, input: Input<A, O>): unknown;
  /** The exit code; 0 without it. */
  exitCode?(record: T): number;
}

/** A command that prints one record, such as `show`, `add` or `enable`. */
export function recordCommand<T, A extends Arguments = None, O extends Options = None>(shape: RecordShape<T, A, O>): Command {
  const { view, record, note, before, viewOf, after, exitCode, ...head } = shape;
  return defineCommand<A, O>({
    ...head,
    prints: () => view,
    async run(input, io) {
      const found = await record(io, input);
      const above = note?.(found, input);
      if (above !== undefined) io.output.note(above);
      await before?.(io, found, input);
      await printRecord(io.output, found, (await viewOf?.(io, found, input)) ?? view);
      await after?.(io, found, input);
      return exitCode?.(found) ?? exitCodes.ok;
    },
  });
}

interface RowsShape<T, B, A, O> extends Head<A, O> {
  /** The view, or how it follows from all rows, as for bars. */
  readonly view: RowView<T> | ((rows: readonly T[]) => RowView<T>);
  /** Makes the request; JSON and YAML print its reply. Throws `Problem`. */
  body(io: Io, input: Input<A, O>): Promise<B>;
  rows(body: B): readonly T[];
  /** Notes below the rows. */
  after?(io: Io, body: B, input: Input<A, O>): unknown;
  /** The exit code; 0 without it. */
  exitCode?(body: B): number;
}

/** A command that prints the rows of one reply. */
export function rowsCommand<T, B, A extends Arguments = None, O extends Options = None>(shape: RowsShape<T, B, A, O>): Command {
  const { view, body, rows, after, exitCode, ...head } = shape;
  const viewOf = (all: readonly T[]): RowView<T> => (typeof view === "function" ? view(all) : view);
  return defineCommand<A, O>({
    ...head,
    prints: () => viewOf([]),
    async run(input, io) {
      const reply = await body(io, input);
      const all = rows(reply);
      await printRows(io.output, all, viewOf(all), reply);
      await after?.(io, reply, input);
      return exitCode?.(reply) ?? exitCodes.ok;
    },
  });
}

type Limit = { readonly limit: Option<number> };

interface ListShape<T, B extends Paged, A, O> extends Head<A, O> {
  readonly view: RowView<T>;
  /** Rejects options that exclude each other. Throws `Problem("invalid")`. */
  check?(input: Input<A, O>): void;
  /** Fetches one page. Throws `Problem`. */
  page(io: Io, input: Input<A, O>, page: { readonly limit: number; readonly cursor?: string }): Promise<B>;
  rows(body: B): readonly T[];
  /** Makes one body of all pages for JSON and YAML; without it the rows are joined. */
  bodyOf?(bodies: readonly B[]): unknown;
  /** Default of --limit; 50 without it. */
  readonly defaultLimit?: number;
  /** Notes below the list. */
  after?(io: Io, input: Input<A, O>, count: number): unknown;
}

/** A command that prints the pages of a list up to `--limit`. */
export function listCommand<T, B extends Paged, A extends Arguments = None, O extends Options = None>(
  shape: ListShape<T, B, A, O>,
): Command {
  const { view, check, page, rows, bodyOf, defaultLimit = 50, after, options, ...head } = shape;
  return defineCommand<A, O & Limit>({
    ...head,
    options: { ...(options as O), limit: rowLimit(defaultLimit) },
    prints: () => view,
    async run(input, io) {
      const { limit, ...own } = input.options as { readonly limit: number };
      const filtered = { arguments: input.arguments, options: own } as unknown as Input<A, O>;
      check?.(filtered);
      const bodies = pages(limit, (next) => page(io, filtered, next));
      const count = await printList(io.output, bodies, rows, view, bodyOf);
      await after?.(io, filtered, count);
      return exitCodes.ok;
    },
  });
}

interface ActionShape<A, O> extends Head<A, O> {
  /** Makes the request and resolves to the note that confirms it. Throws `Problem`. */
  act(io: Io, input: Input<A, O>): Promise<string>;
}

/** A command that changes something and prints no record, such as `remove`. */
export function actionCommand<A extends Arguments = None, O extends Options = None>({ act, ...head }: ActionShape<A, O>): Command {
  return defineCommand<A, O>({
    ...head,
    async run(input, io) {
      io.output.note(await act(io, input));
      return exitCodes.ok;
    },
  });
}
