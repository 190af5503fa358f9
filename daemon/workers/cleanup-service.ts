import { hourMs } from "../../src/clock/durations.ts";
import type { DiskSpace } from "../../src/disk/disk.ts";
import { giveChoreBack, takeChore } from "../../src/retention/chores-repository.ts";
import { type CleanupContext, cleanUp } from "../../src/retention/cleanup.ts";
import { createDiskGuard, type DiskNews } from "../../src/retention/disk-guard.ts";
import { lastDue, nextDue } from "../../src/retention/schedule.ts";
import { createLoop, type Loop } from "./loop.ts";

const chore = "cleanup";
/** After a failed run. */
const retryMs = 60_000;
/** At the disk. */
const lookEveryMs = 60_000;
/** A run that deletes a great deal gives no sign of life in between. */
const stuckAfterMs = 12 * hourMs;

/**
 * Makes the worker that deletes old data once a day at 03:00 local time, in one of the processes that share the database. A
 * run that was missed, since nothing ran at that time, is made up for. Each minute it looks whether the disk of this process is nearly full.
 */
export function createCleanupService(
  context: CleanupContext,
  disk: { readonly space: () => Promise<DiskSpace>; readonly onNews: (news: DiskNews) => void },
): Loop {
  const { db, clock, log } = context;
  const guard = createDiskGuard({ context, disk: disk.space, onNews: disk.onNews });
  return createLoop({
    name: "cleanup_service",
    critical: false,
    log,
    retryMs,
    stuckAfterMs,
    message: () => guard.state(),
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
      await guard.look(signal);
      return Math.min(lookEveryMs, nextDue(clock.now()).getTime() - clock.now().getTime());
    },
  });
}
