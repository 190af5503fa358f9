import { gapMs, noteJump } from "../../src/admin/retention/nightly.ts";
import { bringForwardCooldowns } from "../../src/alerting/alerts/cooldowns-repository.ts";
import { bringForwardDigests } from "../../src/alerting/alerts/digests-repository.ts";
import { bringForwardHolds } from "../../src/alerting/alerts/held-repository.ts";
import { bringForwardModes } from "../../src/alerting/modes/state-repository.ts";
import { bringForwardSilences } from "../../src/alerting/silences/ending-repository.ts";
import { bringForwardRetries } from "../../src/alerting/webhooks/deliveries-repository.ts";
import { type Clock, hourMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { offlineSilentCameras } from "../../src/monitoring/cameras/silence.ts";
import { clampFutureTimes } from "../../src/monitoring/cameras/status-repository.ts";
import { deleteEmbeddingsBefore } from "../../src/monitoring/entities/embeddings-repository.ts";
import { deferWaitingImages } from "../../src/monitoring/images/images-repository.ts";
import { followStatus } from "../../src/monitoring/incidents/incidents.ts";
import type { Database, Sql } from "../../src/platform/database/database.ts";
import { demoteLateJobs, freeAbandonedJobs, promoteAllJobs } from "../../src/work/jobs/jobs-repository.ts";
import { createLoop, type Loop } from "./loop.ts";
import { WatchTime } from "./watch-time.ts";

const roundMs = 1_000;
const camerasEveryMs = 5_000;
const embeddingsEveryMs = 60_000;
/** Embeddings deleted per statement. */
const embeddingsAtOnce = 5_000;
/** The wall clock was set back if it lost this much against the monotonic clock between two rounds. */
const setBackMs = 2_000;

/** Dependencies of the caretaker. */
export interface CaretakerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Records the heartbeat of this process and removes dead ones. */
  readonly beat: (sql: Sql) => Promise<void>;
  /** Whether this process detects silent cameras and deletes old embeddings. Only one of the processes on the database does. */
  readonly checksCameras: () => boolean;
  /** Whether a daemon with other roots detects silence of the camera with this folder. */
  readonly watchedElsewhere: (folderPath: string) => boolean;
  /** Undefined if no person has set it. */
  readonly cameraOfflineAfterSeconds: number | undefined;
  /** Retention of the embeddings of re-identification. */
  readonly reidTtlHours: number;
  /** Returns why the detector cannot be called now; undefined if it can. */
  readonly detectorDown: () => { readonly reason: string; readonly detail: string } | undefined;
  /** Whether a new picture would be found now. */
  readonly watching: () => boolean;
}

/**
 * Creates the worker that maintains rows over time: it records that this process is alive, frees the claims of dead processes, lets live
 * work overtake old work, marks pictures as deferred while the detector is down, detects silent cameras, and deletes expired embeddings.
 */
export function createCaretaker(options: CaretakerOptions): Loop {
  const { db, clock } = options;
  let camerasAt = 0;
  let embeddingsAt = 0;
  const watchTime = new WatchTime(db);
  let lead = Number.NEGATIVE_INFINITY;
  return createLoop({
    name: "caretaker",
    critical: false,
    log: options.log,
    round: async () => {
      const now = clock.now();
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
      if (setBack) options.log.warn({ worker: "caretaker" }, "the clock was set back; delayed jobs start now");
      const down = options.detectorDown();
      if (down !== undefined) await db.query((sql) => deferWaitingImages(sql, down, 1_000));
      // After a suspended machine, a stopped watcher or a database outage, the silence is homesec's fault, not the camera's.
      const watched = options.checksCameras() ? await watchTime.note(now, options.watching()) : undefined;
      if (watched && clock.monotonic() >= camerasAt) {
        camerasAt = clock.monotonic() + camerasEveryMs;
        const offlineAfterSeconds = options.cameraOfflineAfterSeconds;
        const { watchedElsewhere } = options;
        await offlineSilentCameras(db, { now, offlineAfterSeconds, ...watched, watchedElsewhere });
        await followStatus(db, now);
      }
      if (clock.monotonic() >= embeddingsAt && options.checksCameras()) {
        embeddingsAt = clock.monotonic() + embeddingsEveryMs;
        const before = new Date(now.getTime() - options.reidTtlHours * hourMs);
        await db.query((sql) => deleteEmbeddingsBefore(sql, before, embeddingsAtOnce));
      }
      return roundMs;
    },
  });
}

/** Moves future times to now after the clock was set back, so that no job waits until the clock has caught up. */
export async function releaseFutureJobs(sql: Sql, now: Date): Promise<void> {
  await promoteAllJobs(sql, now);
  await bringForwardRetries(sql, now);
  await bringForwardModes(sql, now);
  await bringForwardSilences(sql, now);
  await bringForwardCooldowns(sql, now);
  await bringForwardDigests(sql, now);
  await bringForwardHolds(sql, now);
  await clampFutureTimes(sql, now);
}
