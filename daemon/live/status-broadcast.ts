import { currentFindings } from "../../src/admin/system/findings.ts";
import { createStartupGrace, healthIntervalMs } from "../../src/admin/system/health-interval.ts";
import type { OverallStatus } from "../../src/admin/system/overall.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { Runtime } from "../../src/work/operations/runtime.ts";
import { createLoop, type Loop } from "../workers/loop.ts";

/**
 * Creates the loop that reports each change of the overall status to the live clients of this daemon, also while the database is away.
 * Faults during the start count as a system that is still starting.
 */
export function createStatusBroadcast(context: OperationContext, runtime: Runtime, broadcast: (status: OverallStatus) => void): Loop {
  const everyMs = healthIntervalMs(context.config);
  const isReportable = createStartupGrace(context);
  let reported: OverallStatus = "healthy";
  return createLoop({
    name: "status_broadcast",
    critical: false,
    log: context.log,
    retryMs: everyMs,
    round: async (signal) => {
      const { overall } = await currentFindings(context, runtime);
      if (isReportable(overall) && overall !== reported && !signal.aborted) {
        reported = overall;
        broadcast(overall);
      }
      return everyMs;
    },
  });
}
