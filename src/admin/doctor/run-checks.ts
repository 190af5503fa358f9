import type { z } from "zod";
import { within } from "../../base/lifecycle/lifecycle.ts";
import type { DoctorCheck } from "../../contract/routes/system-doctor.ts";
import { attempt, type Check, type Finding, NotPossible, type Outcome, skipped } from "./check.ts";
import type { Examination } from "./examination.ts";
import { hider } from "./hide.ts";

/** The result of a check, as `homesec doctor -o json` prints it. */
export type CheckReport = z.output<typeof DoctorCheck>;

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
    needs_terminal: isForTerminal(check, examination),
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

function isForTerminal({ needsTerminal }: Check, { isDaemon }: Examination): boolean {
  return isDaemon && needsTerminal !== undefined;
}

/** Runs a check, unless only a terminal can, or the folders that it reads hang or belong to another user. */
async function run(check: Check, examination: Examination, signal: AbortSignal) {
  if (isForTerminal(check, examination)) return skipped(check.needsTerminal ?? "");
  if (check.reads !== undefined) {
    const { silentForFolders, silentForData } = await examination.shares();
    const [hung] = check.reads === "data" ? silentForData : silentForFolders;
    if (hung !== undefined) return skipped(`the network share ${hung} does not answer`);
    if (await examination.isForeign())
      return skipped("this user cannot read the data folder; run homesec doctor as the user that runs homesec");
  }
  return await check.run(examination, signal);
}
