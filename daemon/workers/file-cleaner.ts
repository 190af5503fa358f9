import { lastCleanup } from "../../src/admin/retention/nightly.ts";
import { cleanLogs, cleanThumbnails, type OwnFilesContext } from "../../src/admin/retention/own-files.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import { minuteMs } from "../../src/base/clock/durations.ts";
import type { Log } from "../../src/base/log/log.ts";
import { createLoop, type Loop } from "./loop.ts";

const lookEveryMs = minuteMs;
/** By then a cleanup of one night has deleted its rows; the thumbnails of what it deletes later go with the next. */
const afterMs = 10 * minuteMs;
/** What is looked through may be millions of files. */
const stuckAfterMs = 60 * minuteMs;
const neverExpires = new Date(0);

/**
 * Makes the worker that, of several processes that share a database, each has for the files in its own data folder: after a cleanup, by whichever
 * of them, it removes the logs that were too old at that time and the thumbnails whose detections are gone.
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
        return lookEveryMs;
      }
      const logs = await cleanLogs(context, cleanedAt, false);
      const thumbnails = await cleanThumbnails(context, neverExpires, false, signal);
      followed = cleanedAt.getTime();
      if (logs.files + thumbnails.files > 0) {
        log.info({ worker: "file_cleaner", logs: logs.files, thumbnails: thumbnails.files }, "old files of this daemon were removed");
      }
      return lookEveryMs;
    },
  });
}
