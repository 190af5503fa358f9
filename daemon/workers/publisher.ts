import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { numberEntries, type PublishedRow } from "../../src/work/journal/journal-repository.ts";
import { createLoop, type Loop } from "./loop.ts";

/** At most so many rows get their numbers in one commit. */
const batch = 500;
/** The longest time for which a committed row may go unnoticed when nobody calls `wake`. */
const pollMs = 500;
/** Between two rounds: many rows at once cost one commit together, and the first after a pause does not wait. */
const restMs = 10;

/**
 * Makes the worker that gives committed journal rows their sequence. Any number of processes may run one: the head of
 * the journal is held for the commit. `onPublished` gets the rows that this process numbered, in order.
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
