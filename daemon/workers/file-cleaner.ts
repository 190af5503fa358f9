import { lastCleanup } from "../../src/admin/retention/nightly.ts";
import { cleanLogs, cleanThumbnails, type OwnFilesContext } from "../../src/admin/retention/own-files.ts";
import { uniformRetention } from "../../src/admin/retention/retention.ts";
import { type Clock, minuteMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { createLoop, type Loop } from "./loop.ts";

const checkEveryMs = minuteMs;
/** A nightly cleanup has deleted its rows by then. Thumbnails of later deletions follow in the next run. */
const afterMs = 10 * minuteMs;
/** There may be millions of files to check. */
const stuckAfterMs = 60 * minuteMs;
const neverExpires = uniformRetention(new Date(0));

/**
 * Creates the worker that every process on the database runs for the files in its own data folder: after a cleanup by any of them, it
 * deletes expired logs and the thumbnails of deleted detections.
 */
export function createFileCleaner({ clock, log, ...context }: OwnFilesContext & { readonly clock: Clock; readonly log: Log }): Loop {
  let followed: number | undefined;
  return createLoop({
    name: "file_cleaner",
    critical: false,
    log,
    stuckAfterMs,
    round: async (signal) => {
      const cleanedAt = await context.db.query(lastCleanup);
      if (cleanedAt === undefined || cleanedAt.getTime() === followed || clock.now().getTime() < cleanedAt.getTime() + afterMs) {
        return checkEveryMs;
      }
      const logs = await cleanLogs(context, cleanedAt, false);
      const thumbnails = await cleanThumbnails(context, neverExpires, false, signal);
      followed = cleanedAt.getTime();
      if (logs.files + thumbnails.files > 0) {
        log.info({ worker: "file_cleaner", logs: logs.files, thumbnails: thumbnails.files }, "deleted old files of this daemon");
      }
      return checkEveryMs;
    },
  });
}
