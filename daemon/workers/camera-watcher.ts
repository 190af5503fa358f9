import { type Clock, latestPast, minuteMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { checkClocks } from "../../src/monitoring/cameras/clocks.ts";
import { resolveInside } from "../../src/monitoring/cameras/roots.ts";
import { endCause } from "../../src/monitoring/incidents/incidents.ts";
import { type Frame, readFrame } from "../../src/monitoring/scenes/frame.ts";
import { checkHealth, freshMemory, isBlack, type Memory } from "../../src/monitoring/scenes/health.ts";
import { type NewestPicture, newestPictures } from "../../src/monitoring/scenes/pictures-repository.ts";
import { type ChangeStreak, checkView } from "../../src/monitoring/scenes/watch.ts";
import type { Settings } from "../../src/platform/config/settings.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { createLoop, type Loop } from "./loop.ts";

/** Older pictures say nothing about the camera's current state. */
const freshForMs = 10 * minuteMs;

interface Watched extends Memory {
  imageId: number;
  readonly streak: ChangeStreak;
}

/**
 * Creates the worker that checks the newest picture of each camera, at most once per `everyMs`, one camera at a time, with a pause after
 * each round as long as the round: whether it is black or frozen, whether the camera's clock jumped, and, with scene changes enabled,
 * whether the view has changed. Once a minute at most it compares the clocks of all cameras with that of this machine. No picture waits
 * for it.
 */
export function createCameraWatcher(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  /** Folders that pictures may be read from. */
  readonly roots: readonly string[];
  /** Minimum interval between two checks of a camera. */
  readonly everyMs: number;
}): Loop {
  const { db, clock, log, settings, roots, everyMs } = options;
  const watched = new Map<string, Watched>();
  let clocksCheckedAt = Number.NEGATIVE_INFINITY;

  const check = async (picture: NewestPicture): Promise<void> => {
    const camera = watched.get(picture.cameraId) ?? { ...freshMemory(), imageId: 0, streak: { count: 0, since: picture.takenAt } };
    watched.set(picture.cameraId, camera);
    if (camera.imageId === picture.imageId) return;
    camera.imageId = picture.imageId;
    const frame = await frameOf(picture);
    if (!frame) return;
    const { cameraId, takenAt, path: filePath } = picture;
    await db.transaction(async (sql) => {
      const now = clock.now();
      await checkHealth(sql, { cameraId, takenAt, frame }, camera, now);
      if (!settings.current().sceneChangeEnabled || isBlack(frame)) return;
      await checkView(sql, { cameraId, frame, filePath, takenAt }, camera.streak, now);
    });
  };

  /** Undefined for a deleted or unreadable picture: the ledger and the detector report that. */
  const frameOf = async (picture: NewestPicture): Promise<Frame | undefined> => {
    const file = await resolveInside(roots, picture.path);
    if (file.state !== "inside") return undefined;
    try {
      return await readFrame(file.path);
    } catch (error) {
      log.debug({ worker: "camera_watcher", camera: picture.cameraId, error: String(error) }, "a picture cannot be read");
      return undefined;
    }
  };

  return createLoop({
    name: "camera_watcher",
    critical: false,
    log,
    round: async (signal) => {
      const begin = clock.monotonic();
      const now = clock.now();
      if (begin - clocksCheckedAt >= Math.min(minuteMs, everyMs)) {
        clocksCheckedAt = begin;
        await checkClocks(db, now);
      }
      if (!settings.current().sceneChangeEnabled) {
        await db.transaction((sql) => endCause(sql, "view", "scene changes were disabled", now));
      }
      // Pictures with a time in the future, left by a clock that was set back, would hide the new ones.
      const pictures = await db.query((sql) => newestPictures(sql, new Date(now.getTime() - freshForMs), latestPast(now)));
      for (const picture of pictures) {
        if (signal.aborted) break;
        await check(picture);
      }
      return Math.max(everyMs, clock.monotonic() - begin);
    },
  });
}
