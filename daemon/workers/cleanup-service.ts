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
 * run that was missed, since nothing ran at that time, is made up for. Each minute it looks whether a disk of this process is nearly full.
 */
export function createCleanupService(
  context: CleanupContext,
  disks: {
    readonly data: () => Promise<DiskSpace>;
    readonly pictures: () => Promise<DiskSpace | undefined>;
    readonly onNews: (news: DiskNews) => void;
  },
): Loop {
  const { db, clock, log } = context;
  const { onNews } = disks;
  const dataGuard = createDiskGuard({ context, disk: disks.data, onNews });
  const pictureGuard = createDiskGuard({ context, name: "pictures", disk: disks.pictures, onNews });
  return createLoop({
    name: "cleanup_service",
    critical: false,
    log,
    retryMs,
    stuckAfterMs,
    message: () => [dataGuard, pictureGuard].flatMap((guard) => guard.state() ?? []).join("; ") || null,
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
      await dataGuard.look(signal);
      // a share that is away is told of by those who look for pictures on it
      await pictureGuard
        .look(signal)
        .catch((error: unknown) => log.debug({ part: "disk", error: String(error) }, "a look at a disk failed"));
      return Math.min(lookEveryMs, nextDue(clock.now()).getTime() - clock.now().getTime());
    },
  });
}
