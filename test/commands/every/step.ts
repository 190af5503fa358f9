/**
 * One run of a command. `people` is what a person sees, and goes under the snapshot; `json` must be one JSON value with the fields
 * that `--fields` knows; `error` prints nothing but what is wrong, which goes under the snapshot too.
 */
export interface Step {
  /** What stands behind the words of the command, as it is typed into a shell. */
  readonly args: string;
  readonly kind: "people" | "json" | "error";
  readonly code: number;
  /** What the output has to match, in place of the snapshot: for what differs by machine, or grows with the program. */
  readonly says?: RegExp;
  /** What is piped in. */
  readonly input?: string;
  /** On an empty database of its own, which no daemon has. */
  readonly elsewhere?: true;
  /** Fields that no record has here. */
  readonly lacks?: readonly string[];
  /** The body has another form than the rows that people see, or there is none. */
  readonly ownForm?: true;
}

/** The runs of each command, by its words. */
export type Steps = Readonly<Record<string, readonly Step[]>>;

type More = Partial<Omit<Step, "args" | "kind">>;

export const people = (args = "", more: More = {}): Step => ({ args, kind: "people", code: 0, ...more });
export const json = (args = "", more: More = {}): Step => ({ args: `${args} -o json`.trim(), kind: "json", code: 0, ...more });
export const error = (code: number, args: string, more: More = {}): Step => ({ args, kind: "error", code, ...more });

/** Well with `-o json` too, and there is nothing to print then. */
export const silent = (args: string): Step => json(args, { ownForm: true });
