import type { z } from "zod";
import { dayMs, latestPast } from "../../base/clock/clock.ts";
import { Problem } from "../../contract/problem.ts";
import type { imageRoutes } from "../../contract/routes/images.ts";
import type { Sql } from "../../platform/database/database.ts";
import { silenceLimit } from "../cameras/silence-limit.ts";
import { camerasWithLedger, countPictures, pausesBetweenPictures } from "./gaps-repository.ts";

/** The gaps of one camera as clients receive them. */
export type CameraGaps = z.output<typeof imageRoutes.listPictureGaps.reply>["cameras"][number];

const maxDays = 31;

/** A range of time, both ends included. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** Throws `Problem("bad_request")` if a range runs backwards or has more than 31 days. */
export function requireShortRange({ from, to }: TimeRange): void {
  if (to < from)
    throw new Problem("bad_request", `start_date ${from.toISOString()} lies after end_date ${to.toISOString()}; exchange them`);
  const days = (to.getTime() - from.getTime() + 1) / dayMs;
  if (days > maxDays) throw new Problem("bad_request", `the range has ${Math.ceil(days)} days; ask for at most ${maxDays}`);
}

interface GapSettings {
  readonly now: Date;
  /** CAMERA_OFFLINE_AFTER_SECONDS if a person has set it. */
  readonly offlineAfterSeconds: number | undefined;
}

/** Returns the times without pictures of each camera, by the same limits that set a camera offline. */
export async function pictureGaps(
  sql: Sql,
  range: TimeRange,
  cameraIds: readonly string[] | undefined,
  { now, offlineAfterSeconds }: GapSettings,
): Promise<CameraGaps[]> {
  const cameras: CameraGaps[] = [];
  for (const { cameraId, name, recordedSince } of await camerasWithLedger(sql, cameraIds)) {
    const until = new Date(Math.min(range.to.getTime(), latestPast(now).getTime()));
    const limit = await silenceLimit(sql, cameraId, { until, offlineAfterSeconds });
    const pauses = recordedSince ? await pausesBetweenPictures(sql, cameraId, { range, now, limitMs: limit.limitMs }) : [];
    cameras.push({
      camera_id: cameraId,
      camera_name: name,
      recorded_since: recordedSince,
      picture_count: await countPictures(sql, cameraId, range),
      usual_gap_seconds: limit.source === "rhythm" ? limit.usualGapMs / 1000 : null,
      limit_seconds: limit.limitMs / 1000,
      gaps: pauses.map(({ from, to, isOver }) => ({ started_at: from, ended_at: to, ongoing: !isOver })),
    });
  }
  return cameras;
}
