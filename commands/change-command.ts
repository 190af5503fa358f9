import { pluralize } from "../src/base/text/format.ts";
import { Problem } from "../src/contract/problem.ts";
import { type Argument, type Command, type Definition, defineCommand, flagsOf, type Values } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { confirm, yesOption } from "./input/confirm.ts";
import { flag, type Option } from "./input/options.ts";
import { noteUnknownCameras } from "./input/similar-id.ts";
import type { Io } from "./io.ts";
import { printRecord, printRows } from "./output/output.ts";
import { progressLine } from "./output/progress.ts";
import { localMinute } from "./output/terminal-format.ts";
import type { RowView, View } from "./output/view.ts";

type Options = Record<string, Option<unknown>>;
type Id = number | string;

/** A record that --all changes. */
export interface Target<I extends Id> {
  readonly id: I;
  readonly camera_id: string;
  readonly at: Date;
}

/** The outcome of one record, in the form of the API's bulk results. */
export interface Result {
  readonly index: number;
  readonly status: "success" | "failed";
  readonly id: Id | null;
  readonly error: string | null;
}

const resultView: RowView<Result> = {
  plural: "results",
  fields: () => ["index", "status", "id", "error"],
  id: ({ id }) => id ?? "",
  columns: [],
};

interface ChangeShape<I extends Id, T, O extends Options, F extends Options>
  extends Pick<Definition<never, never>, "name" | "summary" | "examples"> {
  readonly description: string;
  /** Such as `event`; the argument is named after it. */
  readonly noun: string;
  readonly argument: Argument<I>;
  readonly options: O;
  /** The filters of --all. */
  readonly filters: F;
  readonly view: View<T>;
  /** Changes one record. Throws `Problem`. */
  one(io: Io, id: I, options: Values<O> & { readonly yes: boolean }): Promise<T>;
  /** The note after that. */
  note(record: T, options: Values<O>): string;
  /** The records that --all changes, page by page. */
  targets(io: Io, filter: Values<F>, options: Values<O>): AsyncIterable<readonly Target<I>[]>;
  /** The question before that; `what` is a number of records, such as `12 events (front-door)`. */
  question(what: string, options: Values<O>): string;
  /** The note before the question, such as how long it takes. */
  warning?(io: Io, count: number): string | undefined;
  /** Number of records per request. */
  readonly perRequest: number;
  /** Changes some of them with one request. Throws `Problem`. */
  some(io: Io, ids: readonly I[], options: Values<O>): Promise<readonly Result[]>;
  /** The note after that; `count` is such as `12 events`. */
  done(count: string, options: Values<O>): string;
}

/**
 * A command that changes one record by its id, or with --all every record that matches the filters. Before that, --all counts them and
 * asks. It exits with 1 if some could not be changed.
 */
export function changeCommand<I extends Id, T, O extends Options, F extends Options>(shape: ChangeShape<I, T, O, F>): Command {
  const { name, summary, description, examples, noun, argument, options, filters, view } = shape;
  const all = flag(`All ${noun}s that match the filters; asks first`);
  return defineCommand({
    ...{ name, summary, examples, description: `${description} --all exits with 1 if some could not be changed.` },
    arguments: { [`${noun}_id`]: { ...argument, optional: true as const } },
    options: { ...options, all, ...yesOption, ...filters },
    prints: ({ options: given }) => ((given as { readonly all?: boolean }).all ? resultView : view),
    async run(input, io) {
      const given = input.options as Values<O> & Values<F> & { readonly all: boolean; readonly yes: boolean };
      const id = input.arguments[`${noun}_id`] as I | undefined;
      requireOneWay(id, given.all, given, shape);
      const filter = Object.fromEntries(Object.keys(filters).map((key) => [key, given[key]])) as Values<F>;
      if (id === undefined) return await changeAll(io, shape, filter, given);
      const record = await shape.one(io, id, given);
      io.output.note(shape.note(record, given));
      await printRecord(io.output, record, view);
      return exitCodes.ok;
    },
  });
}

/** Throws `Problem("invalid")` unless either an id or --all is given, and filters only with --all. */
function requireOneWay(
  id: Id | undefined,
  all: boolean,
  given: Readonly<Record<string, unknown>>,
  { noun, filters, name }: { readonly noun: string; readonly filters: Options; readonly name: string },
): void {
  const used = Object.entries(filters).find(([key]) => given[key] !== undefined);
  if (id !== undefined && all) throw new Problem("invalid", `--all means every matching ${noun}; remove --all or the id ${id}`);
  if (!all && used !== undefined)
    throw new Problem("invalid", `--${flagsOf(...used)[0]} selects several ${noun}s; add --all to change every one that matches`);
  if (id === undefined && !all)
    throw new Problem("invalid", `no ${noun} is named; give its id, or --all with filters such as \`homesec ${name} --all --since 24h\``);
}

async function changeAll<I extends Id, T, O extends Options, F extends Options>(
  io: Io,
  shape: ChangeShape<I, T, O, F>,
  filter: Values<F>,
  options: Values<O> & { readonly yes: boolean },
): Promise<number> {
  const { noun } = shape;
  const targets: Target<I>[] = [];
  for await (const some of shape.targets(io, filter, options)) targets.push(...some);
  if (targets.length === 0) {
    io.output.note(`no ${noun}s match; nothing was changed`);
    await noteUnknownCameras(io, [(filter as Readonly<Record<string, unknown>>)["camera_id"] ?? []].flat() as string[]);
  } else {
    const warning = shape.warning?.(io, targets.length);
    if (warning !== undefined) io.output.note(warning);
    await confirm(io, options, shape.question(`${pluralize(targets.length, noun)} (${whichText(targets)})`, options));
  }
  const results = await changeEach(io, shape, targets, options);
  const failed = results.filter(({ status }) => status === "failed");
  const succeeded = results.length - failed.length;
  if (targets.length > 0) io.output.note(shape.done(pluralize(succeeded, noun), options));
  for (const { error } of failed.slice(0, mostErrors)) io.output.note(error ?? "unknown error");
  if (failed.length > mostErrors) io.output.note(`${failed.length - mostErrors} more were not changed`);
  const body = { total: results.length, succeeded, failed: failed.length, results };
  if (io.output.format !== "table" || io.output.fields) await printRows(io.output, results, resultView, body);
  return failed.length === 0 ? exitCodes.ok : exitCodes.failure;
}

const mostErrors = 5;

/** Changes the records with as few requests as possible. After an error, a note says how far it came. */
async function changeEach<I extends Id, T, O extends Options, F extends Options>(
  io: Io,
  { some, done, noun, perRequest }: ChangeShape<I, T, O, F>,
  targets: readonly Target<I>[],
  options: Values<O>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const line = await progressLine(io);
  try {
    for (let begin = 0; begin < targets.length; begin += perRequest) {
      line.show({ doing: `changing ${noun}s`, count: begin, total: targets.length, unit: `${noun}s` });
      const ids = targets.slice(begin, begin + perRequest).map(({ id }) => id);
      results.push(...(await some(io, ids, options)).map((result) => ({ ...result, index: begin + result.index })));
    }
  } catch (error) {
    const count = results.filter(({ status }) => status === "success").length;
    if (count > 0) io.output.note(`${done(pluralize(count, noun), options)} before the error; run it again for the others`);
    throw error;
  } finally {
    line.clear();
  }
  return results;
}

/** Cameras and period of the records, such as `front-door and 2 more cameras; 2026-01-31 21:04 to 2026-02-01 06:12`. */
function whichText(targets: readonly Target<Id>[]): string {
  const cameras = [...new Set(targets.map(({ camera_id }) => camera_id))].toSorted();
  const shown = cameras.length > 3 ? `${cameras.slice(0, 2).join(", ")} and ${cameras.length - 2} more cameras` : cameras.join(", ");
  const times = targets.map(({ at }) => at.getTime());
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))].map((time) =>
    localMinute(new Date(time)),
  );
  return first === last ? `${shown}; ${first}` : `${shown}; ${first} to ${last}`;
}
