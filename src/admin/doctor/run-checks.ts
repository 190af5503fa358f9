import { within } from "../../base/lifecycle/lifecycle.ts";
import { type Check, Found, type Group, NotPossible, type Outcome, type Severity, skipped, type statuses } from "./check.ts";
import type { Examination } from "./examination.ts";
import { hider } from "./hide.ts";

/** What became of a check. */
export interface CheckReport {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  readonly status: (typeof statuses)[number];
  /** Null unless there is a finding. */
  readonly severity: Severity | null;
  readonly finding: string | null;
  readonly remedy: string | null;
  /** What was seen, or why the check was skipped. */
  readonly detail: string | null;
  readonly elapsed_ms: number;
}

/** For all checks together, opening the database and asking the daemon included. */
const longestMs = 8_000;

/** Makes all checks at the same time and tells each as soon as it is there; resolves to all in the order given. Never rejects for what a check does. */
export async function runChecks(
  checks: readonly Check[],
  examination: Examination,
  onReport: (report: CheckReport) => void = () => {},
  timeoutMs = longestMs,
): Promise<readonly CheckReport[]> {
  const hide = hider(examination.parsed);
  const stop = new AbortController();
  try {
    return await Promise.all(
      checks.map(async (check) => {
        const report = await reportOf(check, examination, { signal: stop.signal, timeoutMs, hide });
        onReport(report);
        return report;
      }),
    );
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
  const found = outcome.status === "finding" ? outcome : undefined;
  const detail = outcome.status === "finding" ? "" : hide(outcome.detail);
  return {
    id: check.id,
    group: check.group,
    title: check.title,
    status: outcome.status,
    severity: found ? (found.severity ?? check.severity) : null,
    finding: found ? hide(found.finding) : null,
    remedy: found ? hide(found.remedy) : null,
    detail: detail === "" ? null : detail,
    elapsed_ms: Math.round((clock.monotonic() - begun) * 10) / 10,
  };
}

async function outcomeOf(check: Check, examination: Examination, signal: AbortSignal, timeoutMs: number): Promise<Outcome> {
  const overrun = new NotPossible(`not done within ${timeoutMs / 1000} s`);
  try {
    return await within(timeoutMs, () => made(check, examination, signal), overrun);
  } catch (error) {
    if (error instanceof Found) return error.outcome;
    if (error instanceof NotPossible) return skipped(error.message);
    return skipped(`the check could not be made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function made(check: Check, examination: Examination, signal: AbortSignal): Promise<Outcome> {
  if (check.reads !== undefined) {
    const { silent, silentForData } = await examination.shares();
    const [hung] = check.reads === "data" ? silentForData : silent;
    if (hung !== undefined) return skipped(`the network share ${hung} does not answer`);
    if (await examination.isForeign())
      return skipped("the data folder is closed to this user; run homesec doctor as the user that runs homesec");
  }
  return await check.run(examination, signal);
}
