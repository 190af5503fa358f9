import { setMaxListeners } from "node:events";
import { createTtlCache } from "../../base/async/ttl-cache.ts";
import type { doctorRoutes } from "../../contract/routes/system-doctor.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { runtimeOf } from "../system/operations.ts";
import { type DoctorReport, reportOf } from "./report.ts";

/** The running check of each daemon. Its result is not cached. */
const running = createTtlCache<DoctorReport>(() => true);

/** The use cases behind the doctor routes. */
export const doctorOperations: Pick<Operations, keyof typeof doctorRoutes> = {
  getDoctorReport: async (_request, context) =>
    await running.current(context.config, context.clock.monotonic(), Number.POSITIVE_INFINITY, () => checkDaemon(context)),
};

/**
 * Runs all checks in this daemon. Callers that come meanwhile share the result. It takes as long as the time limit of `runChecks` at most,
 * because each check that is late or fails is skipped. Throws `Problem("invalid")` without a running daemon.
 */
async function checkDaemon(context: OperationContext): Promise<DoctorReport> {
  const runtime = runtimeOf(context);
  // loaded here, because only doctor needs its checks
  const [{ checks }, { daemonExamination }, { runChecks }] = await Promise.all([
    import("./checks.ts"),
    import("./daemon-examination.ts"),
    import("./run-checks.ts"),
  ]);
  const { clock } = context;
  const begun = clock.monotonic();
  const end = new AbortController();
  // each query that waits listens
  setMaxListeners(0, end.signal);
  try {
    const examination = daemonExamination(context, runtime, end.signal);
    const reports = await runChecks(checks, examination);
    return reportOf(
      {
        version: runtime.version,
        host: examination.machine.hostName,
        checked_at: clock.now(),
        elapsed_ms: Math.round(clock.monotonic() - begun),
      },
      reports,
    );
  } finally {
    end.abort();
  }
}
