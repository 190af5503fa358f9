import { lastSealable, type SealContext, sealDueDays } from "../../src/admin/evidence/seal-days.ts";
import { type CleanupContext, cleanUp } from "../../src/admin/retention/cleanup.ts";
import { createDiskGuard, type DiskNews } from "../../src/admin/retention/disk-guard.ts";
import { giveCleanupBack, nextDue, takeCleanup } from "../../src/admin/retention/nightly.ts";
import { hourMs } from "../../src/base/clock/clock.ts";
import type { DiskSpace } from "../../src/platform/disk/disk.ts";
import { createLoop, type Loop } from "./loop.ts";

/** Delay after a failed run. */
const retryMs = 60_000;
/** Interval of disk checks. */
const checkEveryMs = 60_000;
/** A run that deletes a lot sends no heartbeat in between. */
const stuckAfterMs = 12 * hourMs;

/**
 * Creates the worker that deletes old data once a day at 03:00 local time, in one of the processes that share the database. A run that was
 * missed because no process ran is made up for. After many missed runs, or a clock jump of that size, it waits for some days, since a wrong
 * clock makes all data look old. It also seals each day for evidence, not while it waits. Every minute it checks whether a disk of this
 * process is nearly full.
 */
export function createCleanupService(
  context: CleanupContext & SealContext,
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
  let held: Date | undefined;
  const seal = createSealing(context);
  return createLoop({
    name: "cleanup_service",
    critical: false,
    log,
    retryMs,
    stuckAfterMs,
    message: () => [dataGuard.state(), pictureGuard.state(), held && describeHold(held)].filter((part) => part).join("; ") || null,
    round: async (signal) => {
      const now = clock.now();
      const { lastRunAt, heldUntil } = await db.transaction((sql) => takeCleanup(sql, now));
      if (heldUntil !== undefined && held === undefined) log.warn({ part: "cleanup" }, describeHold(heldUntil));
      held = heldUntil;
      if (held === undefined) await seal(signal);
      if (lastRunAt !== undefined) {
        try {
          await cleanUp(context, { dryRun: false, signal });
        } catch (error) {
          await db.query((sql) => giveCleanupBack(sql, lastRunAt));
          throw error;
        }
      }
      await dataGuard.look(signal);
      // The file watcher reports an unreachable share.
      await pictureGuard.look(signal).catch((error: unknown) => log.debug({ part: "disk", error: String(error) }, "a disk check failed"));
      return Math.min(checkEveryMs, nextDue(clock.now()).getTime() - clock.now().getTime());
    },
  });
}

/** Seals days for evidence once they are due. A failure is logged, and tried again an hour later: the cleanup goes on. */
function createSealing(context: SealContext): (signal: AbortSignal) => Promise<void> {
  const { clock, log } = context;
  let sealedUpTo = "";
  let notBefore = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const last = lastSealable(clock.now());
    if (last === sealedUpTo || clock.monotonic() < notBefore) return;
    try {
      await sealDueDays(context, signal);
      sealedUpTo = last;
    } catch (error) {
      signal.throwIfAborted();
      notBefore = clock.monotonic() + hourMs;
      log.error({ part: "evidence", error: String(error) }, "the records of a day could not be sealed; the next attempt is in an hour");
    }
  };
}

function describeHold(until: Date): string {
  return `nothing is deleted by age until ${until.toISOString()}: the last cleanup was long ago, or the clock has jumped; \`homesec cleanup\` deletes now if the clock is right`;
}
