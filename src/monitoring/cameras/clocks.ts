import { dayMs, latestPast } from "../../base/clock/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { clockOffset } from "../camera-times/clock-offset.ts";
import { clockSamples, storeClockOffset } from "./clock-repository.ts";

/** Older pictures say nothing about the clock of today. */
const lookBackMs = 7 * dayMs;
/** A smaller change is that of the uploads. */
const noticedSeconds = 2;

/** Compares the times that cameras state with the arrival of their last pictures, and stores how far each clock is off. */
export async function checkClocks(db: Database, now: Date): Promise<void> {
  const all = await db.query((sql) => clockSamples(sql, new Date(now.getTime() - lookBackMs), latestPast(now)));
  for (const { cameraId, aheadSeconds, offsetSeconds } of all) {
    const offset = clockOffset(aheadSeconds);
    const isKnown =
      offset === null || offsetSeconds === null ? offset === offsetSeconds : Math.abs(offset - offsetSeconds) < noticedSeconds;
    if (!isKnown) await db.query((sql) => storeClockOffset(sql, cameraId, offset));
  }
}
