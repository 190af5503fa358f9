import { giveChoreBack, takeChore } from "../../src/retention/chores-repository.ts";
import { type CleanupContext, cleanUp } from "../../src/retention/cleanup.ts";
import { lastDue, nextDue } from "../../src/retention/schedule.ts";
import { createLoop, type Loop } from "./loop.ts";

const chore = "cleanup";
/** After a failed run. */
const retryMs = 60_000;
/** A run that deletes a great deal gives no sign of life in between. */
const stuckAfterMs = 12 * 3_600_000;

/**
 * Makes the worker that deletes old data once a day at 03:00 local time, in one of the processes that share the database. A
 * run that was missed, since nothing ran at that time, is made up for.
 */
export function createCleanupService(context: CleanupContext): Loop {
  const { db, clock, log } = context;
  return createLoop({
    name: "cleanup_service",
    critical: false,
    log,
    retryMs,
    stuckAfterMs,
    round: async (signal) => {
      const now = clock.now();
      const lastRunAt = await db.query((sql) => takeChore(sql, chore, lastDue(now), now));
      if (lastRunAt !== undefined) {
        try {
          await cleanUp(context, { dryRun: false, signal });
        } catch (error) {
          await db.query((sql) => giveChoreBack(sql, chore, lastRunAt));
          throw error;
        }
      }
      return nextDue(clock.now()).getTime() - clock.now().getTime();
    },
  });
}
