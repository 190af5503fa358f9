import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { createLoop, type Loop } from "../workers/loop.ts";
import type { Selftest } from "./selftest.ts";

/** Time limit of the last proof. */
const timeoutMs = 120_000;

/**
 * Creates the worker that runs a self-test at each interval, the first one interval after the start. Its message reports the last result.
 */
export function createSelftestWorker(options: {
  readonly selftest: Selftest;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: Log;
}): Loop {
  const { selftest, everyMs, clock } = options;
  let nextAt = clock.monotonic() + everyMs;
  let message: string | null = null;
  return createLoop({
    name: "selftest",
    critical: false,
    log: options.log,
    // A run that hangs in its services ends by its own time limit.
    stuckAfterMs: 2 * timeoutMs + 60_000,
    message: () => message,
    round: async () => {
      if (clock.monotonic() >= nextAt) {
        nextAt = clock.monotonic() + everyMs;
        const report = await selftest.run({ timeoutMs });
        message = report.status === "failed" ? `the self-test of ${report.started_at.toISOString()} failed: ${report.message}` : null;
      }
      return Math.max(0, nextAt - clock.monotonic());
    },
  });
}
