import { healthIntervalMs } from "../../src/admin/system/health-interval.ts";
import { createHealthReport } from "../../src/admin/system/health-report.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { Runtime } from "../../src/work/operations/runtime.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import { recordServices } from "../health/service-history.ts";
import { createLoop, type Loop } from "./loop.ts";

/**
 * Creates the worker that checks the overall health and reports changes to outbound webhooks, through one of the processes on the database.
 * Changes during a database outage are reported afterwards.
 */
export function createHealthReporter(options: {
  readonly context: OperationContext;
  readonly runtime: Runtime;
  readonly processId: string;
  readonly recentEvents: RecentEvents;
}): Loop {
  const { context, runtime, processId, recentEvents } = options;
  const everyMs = healthIntervalMs(context.config);
  const report = createHealthReport(context, runtime, { processId, onFindings: (findings) => recordServices(recentEvents, findings) });
  return createLoop({
    name: "health_reporter",
    critical: false,
    log: context.log,
    retryMs: everyMs,
    round: async (signal) => {
      await report(signal);
      return everyMs;
    },
  });
}
