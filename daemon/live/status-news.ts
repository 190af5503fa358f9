import type { OperationContext } from "../../src/operations/operation.ts";
import type { Runtime } from "../../src/operations/runtime.ts";
import { currentFindings } from "../../src/system/findings.ts";
import type { OverallStatus } from "../../src/system/overall.ts";
import { createStartPatience, roundMs } from "../../src/system/rounds.ts";
import { createLoop, type Loop } from "../workers/loop.ts";

/**
 * Makes the loop that tells the live clients of this daemon how it finds the system whenever that changes, also while the database is
 * away. What is not well at the start yet is taken for still starting.
 */
export function createStatusNews(context: OperationContext, runtime: Runtime, tell: (status: OverallStatus) => void): Loop {
  const everyMs = roundMs(context.config);
  const isToBeTold = createStartPatience(context);
  let told: OverallStatus = "healthy";
  return createLoop({
    name: "status_news",
    critical: false,
    log: context.log,
    retryMs: everyMs,
    round: async (signal) => {
      const { overall } = await currentFindings(context, runtime);
      if (isToBeTold(overall) && overall !== told && !signal.aborted) {
        told = overall;
        tell(overall);
      }
      return everyMs;
    },
  });
}
