import type { z } from "zod";
import type { DoctorReply } from "../../contract/routes/system-doctor.ts";
import type { CheckReport } from "./run-checks.ts";

/** The result of a whole run, as `homesec doctor -o json` prints it. */
export type DoctorReport = z.output<typeof DoctorReply>;
/** What is known about a run beside its checks. */
export type Run = Pick<DoctorReport, "version" | "host" | "checked_at" | "elapsed_ms">;

/** Adds the counts to the reports of a run. */
export function reportOf(run: Run, checks: readonly CheckReport[]): DoctorReport {
  const count = (has: (report: CheckReport) => boolean): number => checks.filter(has).length;
  return {
    ...run,
    ok: count(({ status }) => status === "ok"),
    findings: count(({ status }) => status === "finding"),
    skipped: count(({ status }) => status === "skipped"),
    errors: count(({ severity }) => severity === "error"),
    warnings: count(({ severity }) => severity === "warning"),
    checks: [...checks],
  };
}
