import type { OperationContext } from "../../src/operations/operation.ts";
import type { Runtime } from "../../src/operations/runtime.ts";
import { currentFindings } from "../../src/system/findings.ts";
import type { OverallStatus } from "../../src/system/overall.ts";
import { createLoop, type Loop } from "../workers/loop.ts";

/**
 * Makes the loop that tells the live clients of this daemon how it finds the system whenever that changes, also while the database is
 * away. In the first three rounds what is not well yet is taken for still starting.
 */
export function createStatusNews(context: OperationContext, runtime: Runtime, tell: (status: OverallStatus) => void): Loop {
  const everyMs = Math.max(200, context.config.healthCacheTtlSeconds * 1000);
  let told: OverallStatus = "healthy";
  let patience = 4;
  return createLoop({
    name: "status_news",
    critical: false,
    log: context.log,
    retryMs: everyMs,
    round: async (signal) => {
      const { overall } = await currentFindings(context, runtime);
      patience = overall === "healthy" ? 0 : patience - 1;
      if (!signal.aborted && overall !== told && patience <= 0) {
        told = overall;
        tell(overall);
      }
      return everyMs;
    },
  });
}
