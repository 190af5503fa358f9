import { dayMs, latestPast } from "../../base/clock/clock.ts";
import { durationText } from "../../base/text/format.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { learnedGaps, leastSilenceMs, rhythmOf } from "./rhythm.ts";
import { gapsBetweenPictures, type QuietCamera, quietCameras } from "./silence-repository.ts";
import { cameraChanged } from "./status.ts";
import { noteSilent } from "./status-repository.ts";

const weekMs = 7 * dayMs;
/** A camera with this many silences within a week that ended without intervention pauses regularly: only the fixed limit applies to it. */
const pausesOfItsOwn = 3;

/** Criteria for silence. */
export interface Listening {
  readonly now: Date;
  /** A camera without a picture for this long is silent in any case. */
  readonly offlineAfterSeconds: number;
  /** homesec has watched for pictures since this time; an earlier silence may be due to homesec itself. */
  readonly listeningSince?: Date | undefined;
  /** Whether another daemon judges the camera with this folder. */
  readonly watchedElsewhere?: ((folderPath: string) => boolean) | undefined;
}

/**
 * Sets cameras offline that have been silent for too long: earlier than the fixed limit if they upload regularly. Returns how many
 * changed.
 */
export async function offlineSilentCameras(db: Database, listening: Listening): Promise<number> {
  const { now, offlineAfterSeconds } = listening;
  const shortest = Math.min(leastSilenceMs, offlineAfterSeconds * 1000);
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
  const heardSince = Math.max(camera.heardSince.getTime(), listening.listeningSince?.getTime() ?? 0);
  const quietMs = listening.now.getTime() - heardSince;
  const fixedMs = listening.offlineAfterSeconds * 1000;
  if (quietMs > fixedMs) return `No picture for ${durationText(fixedMs)}`;
  if (quietMs <= leastSilenceMs || camera.falseAlarms >= pausesOfItsOwn) return undefined;
  const rhythm = rhythmOf(await gapsBetweenPictures(sql, camera.cameraId, latestPast(listening.now), learnedGaps));
  if (!rhythm || quietMs <= rhythm.limitMs) return undefined;
  return `No picture for ${durationText(quietMs)}, while one every ${durationText(Math.max(1_000, rhythm.usualGapMs))} is usual`;
}
