import type { Option } from "./input/options.ts";
import type { GlobalOptions, Io } from "./io.ts";
import type { Shown } from "./output/view.ts";

/** A positional argument of a command. */
export interface Argument<T> {
  readonly description: string;
  /** It may be left out; then `read` is not called, and the command receives undefined. */
  readonly optional?: true;
  /** The words that it can be, where they are few. */
  readonly choices?: readonly string[];
  /** Throws `WrongValue`. */
  read(text: string): T;
}

/** What a person can type after `homesec`. Parsing, help and docs/cli.md read this value. */
export interface Command {
  /** The words: `cameras list`. */
  readonly name: string;
  /** One short sentence for lists of commands. */
  readonly summary: string;
  /** More for its own help, where the summary is not enough. */
  readonly description?: string;
  /** In this order. Keys are camel case; help shows kebab case. */
  readonly arguments: Readonly<Record<string, Argument<unknown>>>;
  readonly options: Readonly<Record<string, Option<unknown>>>;
  readonly examples: readonly Example[];
  /** Ends by itself, in order, when `io.signal` is aborted. Other commands are cut off. */
  readonly endsOnSignal: boolean;
  readonly hidden: boolean;
  /** The records that it prints, so that `--fields` is checked before anything is done, and completed. Without it there are none. */
  prints?(input: Input<never, never>): Shown | Promise<Shown>;
  /** Resolves to the exit code. Throws `Problem` for what the person can set right. */
  run(input: Input<never, never>, io: Io): Promise<number>;
}

export interface Example {
  readonly command: string;
  readonly note: string;
}

type Values<S> = { readonly [K in keyof S]: S[K] extends { read(given: never): infer T } ? T : never };

export interface Input<A, O> {
  readonly arguments: Values<A>;
  readonly options: Values<O>;
}

interface Definition<A, O> extends Partial<Pick<Command, "description" | "endsOnSignal" | "hidden">> {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly examples: readonly Example[];
  prints?(input: Input<A, O>): Shown | Promise<Shown>;
  run(input: Input<A, O>, io: Io): Promise<number>;
}

/** The first word of some commands. Their files are read only when that word is typed: each costs a millisecond of every start. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** Words that stand between it and a verb: `cameras baseline show`. */
  readonly groups?: readonly { readonly name: string; readonly summary: string }[];
  load(): Promise<{ readonly commands: readonly Command[] }>;
}

/** What was typed, found good by the parser but not yet read. */
export interface Typed {
  readonly command: Command;
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string[] | boolean | undefined>>;
  readonly global: GlobalOptions;
}

/** Declares a command: the types of its input come from its arguments and options. */
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

/** `camera_id`, `cameraId` -> `camera-id`, as options and arguments are written. */
export function kebab(name: string): string {
  return name.replace(/_/g, "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** An argument as usage lines show it: `<event-id>`, or `[event-id]` when it may be left out. */
export function placeholder(name: string, { optional }: Pick<Argument<unknown>, "optional">): string {
  return optional ? `[${kebab(name)}]` : `<${kebab(name)}>`;
}
