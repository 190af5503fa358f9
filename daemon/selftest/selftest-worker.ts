import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { createLoop, type Loop } from "../workers/loop.ts";
import type { Selftest } from "./selftest.ts";

/** How long the last proof may take. */
const timeoutMs = 120_000;

/** Makes the worker that makes a self-test every so often, the first one interval after the start. Its message says how the last one ended. */
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
    // a run that hangs in its services is given up by itself
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
