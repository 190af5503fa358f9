import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type Closed, closeDueBatches } from "../../src/monitoring/batches/aggregation.ts";
import { batchTimes, latestDueAt } from "../../src/monitoring/batches/batch.ts";
import { nextDueAt } from "../../src/monitoring/batches/batches-repository.ts";
import type { Settings } from "../../src/platform/config/settings.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { createLoop, type Loop } from "./loop.ts";

/** Longest pause without a due batch: another process may have opened one. */
const longestPauseMs = 1_000;
/** Pause before a due batch is checked again while one of its pictures is still in progress. */
const shortestPauseMs = 20;

/** Creates the worker that closes due batches. Due times are in rows. `onClosed` runs once events and analysis jobs are written. */
export function createBatchAggregator(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly settings: Settings;
  /** How long the analysis of an event may now wait for the enrichment of its detections. */
  readonly enrichmentWaitMs: () => number;
  readonly log: Log;
  readonly onClosed: (closed: readonly Closed[]) => void;
}): Loop {
  const { db, clock } = options;
  return createLoop({
    name: "batch_aggregator",
    critical: false,
    log: options.log,
    retryMs: 250,
    round: async () => {
      // every picture wakes this worker, so a round without a due batch must cost one query only
      const now = clock.now();
      const next = await db.query((sql) => nextDueAt(sql, now, latestDueAt(now, batchTimes(options.settings.current()))));
      if (!next) return longestPauseMs;
      const waitMs = next.getTime() - clock.now().getTime();
      if (waitMs > 0) return Math.min(longestPauseMs, waitMs);
      const closing = { ...options.settings.current(), enrichmentWaitMs: options.enrichmentWaitMs() };
      const closed = await db.transaction((sql) => closeDueBatches(sql, clock.now(), closing));
      if (closed.length === 0) return shortestPauseMs;
      options.onClosed(closed);
      return 0;
    },
  });
}
