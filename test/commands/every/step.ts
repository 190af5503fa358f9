/**
 * One run of a command. `people` compares the output for people with the snapshot; `json` expects one JSON value with the fields that
 * `--fields` accepts; `error` prints only an error, which the snapshot contains too.
 */
export interface Step {
  /** The arguments of the command, as typed into a shell. */
  readonly args: string;
  readonly kind: "people" | "json" | "error";
  readonly code: number;
  /** A pattern for the output instead of the snapshot, if the output differs by machine or grows with the program. */
  readonly says?: RegExp;
  /** Standard input. */
  readonly input?: string;
  /** Runs on a separate empty database without a daemon. */
  readonly elsewhere?: true;
  /** Fields that no record has here. */
  readonly lacks?: readonly string[];
  /** The body differs from the rows that people see, or there is none. */
  readonly ownForm?: true;
}

/** The runs of each command, by its words. */
export type Steps = Readonly<Record<string, readonly Step[]>>;

type More = Partial<Omit<Step, "args" | "kind">>;

export const people = (args = "", more: More = {}): Step => ({ args, kind: "people", code: 0, ...more });
export const json = (args = "", more: More = {}): Step => ({ args: `${args} -o json`.trim(), kind: "json", code: 0, ...more });
export const error = (code: number, args: string, more: More = {}): Step => ({ args, kind: "error", code, ...more });

/** Succeeds with `-o json` too, and prints nothing. */
export const silent = (args: string): Step => json(args, { ownForm: true });
