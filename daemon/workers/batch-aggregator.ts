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
/** Pause before a due batch is checked again that waits for a picture in progress. */
const shortestPauseMs = 20;

/** Makes the worker that closes batches when they are due, from timers kept in rows. `onClosed`: events and analysis jobs were written. */
export function createBatchAggregator(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly settings: Settings;
  /** How long the analysis of an event may wait now for the enrichment of its detections. */
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
      // it is woken for every picture, so that nothing due must cost no more than this question
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
