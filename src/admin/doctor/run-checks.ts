import { within } from "../../base/lifecycle/lifecycle.ts";
import {
  attempt,
  type Check,
  type Finding,
  type Group,
  NotPossible,
  type Outcome,
  type Severity,
  skipped,
  type statuses,
} from "./check.ts";
import type { Examination } from "./examination.ts";
import { hider } from "./hide.ts";

/** The result of a check, as `homesec doctor -o json` prints it. */
export interface CheckReport {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  readonly status: (typeof statuses)[number];
  /** The worst of the findings; null unless there is one. */
  readonly severity: Severity | null;
  /** All findings, joined with "; ". */
  readonly finding: string | null;
  /** All fixes, joined with "; ". */
  readonly remedy: string | null;
  /** The detail of an ok check, or why it was skipped. */
  readonly detail: string | null;
  /** Each finding with its fix. */
  readonly findings: readonly { readonly finding: string; readonly remedy: string; readonly severity: Severity }[];
  readonly elapsed_ms: number;
}

/** Time limit for all checks together, including the time to open the database and to call the daemon. */
const timeLimitMs = 8_000;

/** Runs all checks at the same time and resolves to their reports, in the order given. Never rejects for an error in a check. */
export async function runChecks(
  checks: readonly Check[],
  examination: Examination,
  timeoutMs = timeLimitMs,
): Promise<readonly CheckReport[]> {
  const hide = hider(examination.parsed);
  const stop = new AbortController();
  try {
    return await Promise.all(checks.map((check) => reportOf(check, examination, { signal: stop.signal, timeoutMs, hide })));
  } finally {
    stop.abort();
  }
}

interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly hide: (text: string) => string;
}

async function reportOf(check: Check, examination: Examination, { signal, timeoutMs, hide }: Limits): Promise<CheckReport> {
  const { clock } = examination;
  const begun = clock.monotonic();
  const outcome = await outcomeOf(check, examination, signal, timeoutMs);
  const findings = (outcome.status === "finding" ? outcome.findings : []).map(({ text, fix, severity }: Finding) => ({
    finding: hide(text),
    remedy: hide(fix),
    severity: severity ?? check.severity,
  }));
  const joined = (texts: readonly string[]): string | null => [...new Set(texts)].join("; ") || null;
  return {
    id: check.id,
    group: check.group,
    title: check.title,
    status: outcome.status,
    severity: findings.find(({ severity }) => severity === "error")?.severity ?? findings[0]?.severity ?? null,
    finding: joined(findings.map(({ finding }) => finding)),
    remedy: joined(findings.map(({ remedy }) => remedy)),
    detail: outcome.status === "finding" ? null : hide(outcome.detail) || null,
    findings,
    elapsed_ms: Math.round((clock.monotonic() - begun) * 10) / 10,
  };
}

async function outcomeOf(check: Check, examination: Examination, signal: AbortSignal, timeoutMs: number): Promise<Outcome> {
  const overrun = new NotPossible(`not done within ${timeoutMs / 1000} s`);
  try {
    return await attempt(() => within(timeoutMs, () => run(check, examination, signal), overrun));
  } catch (error) {
    return skipped(`the check failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Runs a check, unless the folders that it reads hang or belong to another user. */
async function run(check: Check, examination: Examination, signal: AbortSignal) {
  if (check.reads !== undefined) {
    const { silent, silentForData } = await examination.shares();
    const [hung] = check.reads === "data" ? silentForData : silent;
    if (hung !== undefined) return skipped(`the network share ${hung} does not answer`);
    if (await examination.isForeign())
      return skipped("this user cannot read the data folder; run homesec doctor as the user that runs homesec");
  }
  return await check.run(examination, signal);
}
