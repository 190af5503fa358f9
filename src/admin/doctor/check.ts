import type { Examination } from "./examination.ts";

/** Groups in the order in which people see them. */
export const groups = {
  daemon: "Daemon",
  program: "Program and machine",
  configuration: "Configuration",
  access: "Access",
  data: "Data folder and disk",
  database: "Database",
  store: "Store",
  upstream: "Upstream services",
  cameras: "Cameras",
  rules: "Rules and alerts",
  notifications: "Mail and webhooks",
} as const;
export type Group = keyof typeof groups;

export const statuses = ["ok", "finding", "skipped"] as const;
/** `error`: something does not work. `warning`: it works, but not as it should, or not for long. */
export type Severity = "warning" | "error";

/** What a check saw. `detail` of a skipped one says why it was not possible. */
export type Outcome =
  | { readonly status: "ok"; readonly detail: string }
  | { readonly status: "finding"; readonly finding: string; readonly remedy: string; readonly severity?: Severity }
  | { readonly status: "skipped"; readonly detail: string };

/** One thing that `homesec doctor` looks at. It changes nothing. */
export interface Check {
  /** Never changed once released: scripts name it with --only and --skip. */
  readonly id: string;
  readonly group: Group;
  /** What is looked at. */
  readonly title: string;
  /** Of a finding, unless the finding has its own. */
  readonly severity: Severity;
  /** It looks into the data folder, or into that and those of the cameras, and is left out while a network share with one of them hangs. */
  readonly reads?: "data" | "folders";
  /** What would be a finding; for the documentation. */
  readonly finds: string;
  /** What helps in general; for the documentation. A finding says exactly what to do. */
  readonly remedy: string;
  /** Throws `NotPossible` for what is to be skipped. The signal fires when the time of the check is over. */
  run(examination: Examination, signal: AbortSignal): Outcome | Promise<Outcome>;
}

/** A check that cannot be made here and now; the message says why. */
export class NotPossible extends Error {
  override name = "NotPossible";
}

/** For what a check can do without: undefined for what is not possible. Throws all else. */
export function notPossible(error: unknown): undefined {
  if (error instanceof NotPossible) return undefined;
  throw error;
}

/** What a check needs does not work at all: the check of that very thing finds it, all others are skipped. */
export class Broken extends NotPossible {
  override name = "Broken";
}

/** Ends a check with a finding from within. */
export class Found extends Error {
  override name = "Found";
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super("found");
    this.outcome = outcome;
  }
}

/** Nothing is wrong; `detail` says what was seen. */
export function ok(detail = ""): Outcome {
  return { status: "ok", detail };
}

/** The check is not possible here and now; `detail` says why. */
export function skipped(detail: string): Outcome {
  return { status: "skipped", detail };
}

/** A finding and the exact remedy: a command, a variable, or what to do by hand. */
export function finding(text: string, remedy: string, severity?: Severity): Outcome {
  return { status: "finding", finding: text, remedy, ...(severity && { severity }) };
}
