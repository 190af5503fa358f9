import type { IdKind, Option } from "./input/options.ts";
import type { GlobalOptions, Io } from "./io.ts";
import type { Shown } from "./output/view.ts";

/** A positional argument of a command. */
export interface Argument<T> {
  readonly description: string;
  /** Optional arguments: `read` is not called without one, and the command receives undefined. */
  readonly optional?: true;
  /** The last argument may be given several times: each is read to a list, and the lists are joined. */
  readonly several?: true;
  /** The accepted words, if there are only a few. */
  readonly choices?: readonly string[];
  /** The kind of record that it names. The command receives a whole id. */
  readonly idOf?: IdKind;
  /** Throws `WrongValue`. */
  read(text: string): T;
}

/** A command of homesec. The parser, help, completion and docs/cli.md all read this value. */
export interface Command {
  /** The words after `homesec`, such as `cameras list`. */
  readonly name: string;
  /** At most 10 words, for lists of commands. */
  readonly summary: string;
  /** Replaces the summary on the help page of the command. */
  readonly description?: string;
  /** In the order of the command line. Keys are named like the fields of the API; help shows kebab case. */
  readonly arguments: Readonly<Record<string, Argument<unknown>>>;
  readonly options: Readonly<Record<string, Option<unknown>>>;
  readonly examples: readonly Example[];
  /** The command stops cleanly when `host.signal` is aborted. Other commands are cut off. */
  readonly endsOnSignal: boolean;
  readonly hidden: boolean;
  /** The printed records, to check and complete `--fields` before the command runs. Absent if it prints no records. */
  prints?(input: Input<never, never>): Shown | Promise<Shown>;
  /** Resolves to the exit code. Throws `Problem` for errors that the user can fix. */
  run(input: Input<never, never>, io: Io): Promise<number>;
}

export interface Example {
  readonly command: string;
  readonly note: string;
}

/** The parsed values of arguments or options. */
export type Values<S> = { readonly [K in keyof S]: S[K] extends { read(given: never): infer T } ? T : never };

export interface Input<A, O> {
  readonly arguments: Values<A>;
  readonly options: Values<O>;
}

/** The definition of a command; `defineCommand` fills in the rest. */
export interface Definition<A, O> extends Partial<Pick<Command, "description" | "endsOnSignal" | "hidden">> {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly examples: readonly Example[];
  prints?(input: Input<A, O>): Shown | Promise<Shown>;
  run(input: Input<A, O>, io: Io): Promise<number>;
}

/** The first word of a group of commands. Its files load only when the word is typed, since each costs a millisecond at start. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** Subgroups, as in `cameras baseline show`. */
  readonly groups?: readonly { readonly name: string; readonly summary: string }[];
  load(): Promise<{ readonly commands: readonly Command[] }>;
}

/** The parsed command line; values are not read yet. */
export interface Typed {
  readonly command: Command;
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string[] | boolean | undefined>>;
  /** The flags as they were typed, for options that were given by their second name. */
  readonly flags: Readonly<Record<string, string>>;
  readonly global: GlobalOptions;
}

/** Declares a command. The types of its input derive from its arguments and options. */
export function defineCommand<
  A extends Record<string, Argument<unknown>> = Record<never, never>,
  O extends Record<string, Option<unknown>> = Record<never, never>,
>(definition: Definition<A, O>): Command {
  const { prints, run, ...rest } = definition;
  return {
    arguments: {},
    options: {},
    endsOnSignal: false,
    hidden: false,
    ...rest,
    ...(prints && { prints: prints as NonNullable<Command["prints"]> }),
    run: run as Command["run"],
  };
}

/** Converts `camera_id` to `camera-id`. */
export function kebab(name: string): string {
  return name.replaceAll("_", "-");
}

/** The flags of an option without dashes: the shown one, and the name of the API's field if that differs. */
export function flagsOf(name: string, { flag }: Pick<Option<unknown>, "flag">): readonly [string, ...string[]] {
  return flag === undefined ? [kebab(name)] : [flag, kebab(name)];
}

/** Converts `camera_id` to `cameraId`, as commander names options. */
export function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** An argument in a usage line: `<event-id>`, `[event-id]` if it is optional, `[assignment...]` if there may be several. */
export function placeholder(name: string, { optional, several }: Pick<Argument<unknown>, "optional" | "several">): string {
  const text = `${kebab(name)}${several ? "..." : ""}`;
  return optional ? `[${text}]` : `<${text}>`;
}
