import { dayMs, hourMs, latestPast } from "../../base/clock/clock.ts";
import { durationText } from "../../base/text/format.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { leastSilenceMs } from "./rhythm.ts";
import { mayBeNoFault, silenceLimit } from "./silence-limit.ts";
import { type QuietCamera, quietCameras } from "./silence-repository.ts";
import { cameraChanged } from "./status.ts";
import { noteSilent } from "./status-repository.ts";

const weekMs = 7 * dayMs;
/** A silence that takes at least this long is counted across short gaps of the observation. */
const longSilenceMs = hourMs;
/** A camera with this many silences within a week that ended without intervention pauses regularly: its rhythm says too little. */
const pausesOfItsOwn = 3;

/** Criteria for silence. */
export interface Listening {
  readonly now: Date;
  /** CAMERA_OFFLINE_AFTER_SECONDS if a person has set it: it replaces what homesec has learned. */
  readonly offlineAfterSeconds: number | undefined;
  /** homesec has watched for pictures since this time without a gap; an earlier silence may be due to homesec itself. */
  readonly listeningSince?: Date | undefined;
  /** The same with short gaps, such as restarts, which do not matter for a silence of hours. */
  readonly watchedSince?: Date | undefined;
  /** Whether another daemon judges the camera with this folder. */
  readonly watchedElsewhere?: ((folderPath: string) => boolean) | undefined;
}

/**
 * Sets cameras offline that have been silent for too long: for their rhythm, for a day without a rhythm, or for the configured time.
 * Returns how many changed.
 */
export async function offlineSilentCameras(db: Database, listening: Listening): Promise<number> {
  const { now, offlineAfterSeconds } = listening;
  const shortest = offlineAfterSeconds === undefined ? leastSilenceMs : offlineAfterSeconds * 1000;
  return await db.transaction(async (sql) => {
    const quiet = await quietCameras(sql, new Date(now.getTime() - shortest), new Date(now.getTime() - weekMs));
    const silent: { cameraId: string; lastSeenAt: Date | null; reason: string }[] = [];
    for (const camera of quiet.filter(({ folderPath }) => !listening.watchedElsewhere?.(folderPath))) {
      const reason = await whySilent(sql, camera, listening);
      if (reason !== undefined) silent.push({ cameraId: camera.cameraId, lastSeenAt: camera.lastSeenAt, reason });
    }
    if (silent.length === 0) return 0;
    const changes = await noteSilent(sql, silent, now);
    await appendToJournal(
      sql,
      changes.map(({ camera, previous, reason }) => cameraChanged(camera, previous, reason)),
      now,
    );
    return changes.length;
  });
}

async function whySilent(sql: Sql, camera: QuietCamera, listening: Listening): Promise<string | undefined> {
  const { offlineAfterSeconds, listeningSince, watchedSince = listeningSince } = listening;
  const distrustsRhythm = camera.falseAlarms >= pausesOfItsOwn;
  const criteria = { until: latestPast(listening.now), offlineAfterSeconds, distrustsRhythm };
  const limit = await silenceLimit(sql, camera.cameraId, criteria);
  const since = limit.limitMs < longSilenceMs ? listeningSince : watchedSince;
  const quietMs = listening.now.getTime() - Math.max(camera.heardSince.getTime(), since?.getTime() ?? 0);
  if (quietMs <= limit.limitMs) return undefined;
  switch (limit.source) {
    case "configured":
      return `No picture for ${durationText(limit.limitMs)}`;
    case "rhythm":
      return `No picture for ${durationText(quietMs)}, while one every ${durationText(Math.max(1_000, limit.usualGapMs))} is usual`;
    case "none":
      return `No picture for ${durationText(limit.limitMs)}; ${mayBeNoFault}`;
  }
}
