import type { doctorGroups, doctorSeverities } from "../../contract/constants.ts";
import type { Examination } from "./examination.ts";

export type Group = keyof typeof doctorGroups;
export type Severity = (typeof doctorSeverities)[number];

/** One problem that a check found. */
export interface Finding {
  /** The problem, and why it matters where that is not obvious. */
  readonly text: string;
  /** What to do: a command, a variable, or a step. */
  readonly fix: string;
  /** Overrides the severity of the check. */
  readonly severity: Severity | undefined;
}

/** The result of a check. `detail` says what the check saw, or why it was skipped. */
export type Outcome =
  | { readonly status: "ok" | "skipped"; readonly detail: string }
  | { readonly status: "finding"; readonly findings: readonly Finding[] };
/** A check may return several outcomes; `combine` makes one of them. */
export type Outcomes = Outcome | readonly Outcome[];

/** One check of `homesec doctor`: a probe that reads something, and the findings it can lead to. A check changes nothing. */
export interface Check {
  /** Scripts pass it to --only and --skip, so it never changes after a release. */
  readonly id: string;
  /** Checks of earlier releases that this one covers. */
  readonly replaces?: readonly string[];
  readonly group: Group;
  readonly title: string;
  /** Severity of findings that do not set their own. */
  readonly severity: Severity;
  /** Set by checks that read the data folder, or also camera folders: they are skipped while a network share below them hangs. */
  readonly reads?: "data" | "folders";
  /** Why a daemon cannot run the check itself, as the reason for skipping it there. Absent for checks that work in both places. */
  readonly needsTerminal?: string;
  /** The possible findings, for docs/doctor.md. */
  readonly finds: string;
  /** Throws `NotPossible` to be skipped. The signal aborts when the time limit of the run is over. */
  run(examination: Examination, signal: AbortSignal): Outcomes | Promise<Outcomes>;
}

/** Thrown when a check cannot run here; the message says why. */
export class NotPossible extends Error {
  override name = "NotPossible";
}

/** Returns undefined for `NotPossible` and throws all other errors: for input that a check can do without. */
export function notPossible(error: unknown): undefined {
  if (error instanceof NotPossible) return undefined;
  throw error;
}

/** Thrown when a dependency does not work at all: its own check reports it, all other checks are skipped. */
export class Broken extends NotPossible {
  override name = "Broken";
}

/** No problem; `detail` says what the check saw. */
export function ok(detail = ""): Outcome {
  return { status: "ok", detail };
}

/** The check cannot run here; `detail` says why. */
export function skipped(detail: string): Outcome {
  return { status: "skipped", detail };
}

/** A problem and its fix. */
export function finding(text: string, fix: string, severity?: Severity): Outcome {
  return { status: "finding", findings: [{ text, fix, severity }] };
}

/** Merges outcomes: all findings, else the details of what is ok, else the reasons for skipping. */
export function combine(outcomes: Outcomes): Outcome {
  if ("status" in outcomes) return outcomes;
  const findings = outcomes.flatMap((outcome) => (outcome.status === "finding" ? outcome.findings : []));
  if (findings.length > 0) return { status: "finding", findings };
  const status = outcomes.every((outcome) => outcome.status === "skipped") && outcomes.length > 0 ? "skipped" : "ok";
  const details = outcomes.flatMap((outcome) => (outcome.status === status && outcome.detail !== "" ? [outcome.detail] : []));
  return { status, detail: [...new Set(details)].join("; ") };
}

/** Makes a check of independent parts, which run at the same time. If one is not possible, the others still run. */
export function parts(...all: readonly Check["run"][]): (examination: Examination, signal: AbortSignal) => Promise<readonly Outcome[]> {
  return (examination, signal) => Promise.all(all.map((part) => attempt(() => part(examination, signal))));
}

/** Runs a part of a check. Resolves to a skipped outcome for `NotPossible`. */
export async function attempt(part: () => Outcomes | Promise<Outcomes>): Promise<Outcome> {
  try {
    return combine(await part());
  } catch (error) {
    if (error instanceof NotPossible) return skipped(error.message);
    throw error;
  }
}
