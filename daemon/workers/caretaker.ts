import { gapMs, noteJump } from "../../src/admin/retention/nightly.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import { hourMs } from "../../src/base/clock/durations.ts";
import type { Log } from "../../src/base/log/log.ts";
import { offlineSilentCameras } from "../../src/monitoring/cameras/silence.ts";
import { deleteEmbeddingsBefore } from "../../src/monitoring/entities/embeddings-repository.ts";
import { deferWaitingImages } from "../../src/monitoring/images/images-repository.ts";
import { followStatus } from "../../src/monitoring/incidents/incidents.ts";
import type { Database, Sql } from "../../src/platform/database/database.ts";
import { demoteLateJobs, freeAbandonedJobs } from "../../src/work/jobs/jobs-repository.ts";
import { createLoop, type Loop } from "./loop.ts";
import { releaseFutureJobs } from "./release-future-jobs.ts";

const roundMs = 1_000;
const camerasEveryMs = 5_000;
const vectorsEveryMs = 60_000;
/** Vectors that are deleted in one statement. */
const vectorsAtOnce = 5_000;
/** Rounds further apart than this leave out what happened between them. */
const deafAfterMs = 15_000;
/** The wall clock was set back when it lost so much on the monotonic one between two rounds. */
const setBackMs = 2_000;

/** What the caretaker looks after. */
export interface CaretakerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows that this process lives, and removes those that are gone. */
  readonly beat: (sql: Sql) => Promise<void>;
  /** Whether it is this process that judges the silence of cameras and forgets vectors: of several that share the database, one does. */
  readonly judges: () => boolean;
  /** Whether a daemon with other roots judges the silence of the camera with this folder. */
  readonly judgedElsewhere: (folderPath: string) => boolean;
  readonly cameraOfflineAfterSeconds: number;
  /** How long the vectors of re-identification are kept. */
  readonly reidTtlHours: number;
  /** Why the detector cannot be asked now, or undefined when it can. */
  readonly detectorDown: () => { readonly reason: string; readonly detail: string } | undefined;
  /** Whether a new picture would be found now. */
  readonly watching: () => boolean;
}

/**
 * Makes the worker that keeps the rows true while nothing else touches them: shows that this process is alive, frees
 * what dead processes held, lets live work pass what has waited long, says of pictures that wait for a detector that is
 * down that they are deferred, notices cameras that fell silent, and forgets vectors whose time is over.
 */
export function createCaretaker(options: CaretakerOptions): Loop {
  const { db, clock } = options;
  let camerasAt = 0;
  let vectorsAt = 0;
  let listeningSince: Date | undefined;
  let lastRound = 0;
  let lead = Number.NEGATIVE_INFINITY;
  return createLoop({
    name: "caretaker",
    critical: false,
    log: options.log,
    round: async () => {
      const now = clock.now();
      // a restart, a sleep of the machine, a stopped watcher, a database that was away: that silence is our own
      const missed = Math.abs(now.getTime() - lastRound) > deafAfterMs || !options.watching();
      if (missed || !listeningSince || !options.judges()) listeningSince = now;
      const leadNow = now.getTime() - clock.monotonic();
      const setBack = leadNow < lead - setBackMs;
      const hasJumped = Number.isFinite(lead) && Math.abs(leadNow - lead) > gapMs;
      await db.transaction(async (sql) => {
        await options.beat(sql);
        await demoteLateJobs(sql, now);
        if (setBack) await releaseFutureJobs(sql, now);
        if (hasJumped) await noteJump(sql, now);
        await freeAbandonedJobs(sql);
      });
      lead = leadNow;
      if (setBack) options.log.warn({ worker: "caretaker" }, "the clock was set back; what waited for its time starts now");
      const down = options.detectorDown();
      if (down !== undefined) await db.query((sql) => deferWaitingImages(sql, down, 1_000));
      if (clock.monotonic() >= camerasAt && options.judges()) {
        camerasAt = clock.monotonic() + camerasEveryMs;
        const offlineAfterSeconds = options.cameraOfflineAfterSeconds;
        const { judgedElsewhere } = options;
        await offlineSilentCameras(db, { now, offlineAfterSeconds, listeningSince, judgedElsewhere });
        await followStatus(db, now);
      }
      lastRound = now.getTime();
      if (clock.monotonic() >= vectorsAt && options.judges()) {
        vectorsAt = clock.monotonic() + vectorsEveryMs;
        const before = new Date(now.getTime() - options.reidTtlHours * hourMs);
        await db.query((sql) => deleteEmbeddingsBefore(sql, before, vectorsAtOnce));
      }
      return roundMs;
    },
  });
}
