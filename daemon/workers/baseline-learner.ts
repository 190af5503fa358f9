import { type Clock, minuteMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { judgeRunningHour, learnDueHours, noteWatched } from "../../src/monitoring/baselines/learning.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { createLoop, type Loop } from "./loop.ts";

/** Frequent enough to see each minute. */
const roundMs = 20_000;

/**
 * Creates the worker that learns the baselines of cameras: it records which minutes are watched, learns from each hour when it is over, and
 * announces anomalies, also during the hour. Several processes may run it at once.
 */
export function createBaselineLearner(options: {
  readonly db: Database;
  readonly clock: Clock;
  /** The time zone of hours and weekdays. */
  readonly timeZone: string;
  readonly log: Log;
  /** Whether new pictures would be found now. */
  readonly watching: () => boolean;
}): Loop {
  const { db, clock, timeZone } = options;
  const seen = new Map<string, string>();
  return createLoop({
    name: "baseline_learner",
    critical: false,
    log: options.log,
    // A failed round must not cost the minute.
    retryMs: 5_000,
    stuckAfterMs: 10 * minuteMs,
    round: async (signal) => {
      const now = clock.now();
      if (options.watching()) await noteWatched(db, now, timeZone);
      await learnDueHours(db, now, timeZone, signal);
      if (!signal.aborted) await judgeRunningHour(db, now, timeZone, seen);
      return roundMs;
    },
  });
}
