import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { numberEntries, type PublishedRow } from "../../src/work/journal/journal-repository.ts";
import { createLoop, type Loop } from "./loop.ts";

/** Maximum number of rows numbered in one commit. */
const batch = 500;
/** Maximum time until a committed row is found without a wake. */
const pollMs = 500;
/** Pause between two rounds, so that many rows share one commit. The first row after a pause does not wait. */
const restMs = 10;

/**
 * Creates the worker that numbers committed journal rows. Any number of processes may run it: the head of the journal is locked for the
 * commit. `onPublished` receives the rows that this process numbered, in order.
 */
export function createPublisher(options: {
  readonly db: Database;
  readonly log: Log;
  readonly onPublished: (rows: readonly PublishedRow[]) => void;
}): Loop {
  return createLoop({
    name: "journal_publisher",
    critical: false,
    log: options.log,
    retryMs: pollMs,
    restMs,
    round: async () => {
      const rows = await options.db.query((sql) => numberEntries(sql, batch));
      if (rows.length > 0) options.onPublished(rows);
      return rows.length === batch ? 0 : pollMs;
    },
  });
}
