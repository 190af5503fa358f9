import { createHealthReport } from "../../src/admin/system/health-report.ts";
import { roundMs } from "../../src/admin/system/rounds.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { Runtime } from "../../src/work/operations/runtime.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import { noteServices } from "../health/service-history.ts";
import { createLoop, type Loop } from "./loop.ts";

/**
 * Makes the worker that looks at the overall health of the system and has outbound webhooks told when it changes, by one of the
 * processes that share the database. What the database cannot take now they are told when it is back.
 */
export function createHealthReporter(options: {
  readonly context: OperationContext;
  readonly runtime: Runtime;
  readonly processId: string;
  readonly recentEvents: RecentEvents;
}): Loop {
  const { context, runtime, processId, recentEvents } = options;
  const everyMs = roundMs(context.config);
  const report = createHealthReport(context, runtime, { processId, onFindings: (findings) => noteServices(recentEvents, findings) });
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
