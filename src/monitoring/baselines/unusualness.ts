import { hourMs } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import { readKnown, usualIn } from "./known.ts";
import { countHour } from "./learning-repository.ts";
import { localHourAt } from "./local-hour.ts";
import { writeReason } from "./reason.ts";
import { scoreOf } from "./statistics.ts";

/** How unusual a time is for a camera, for the analysis of an event. */
export interface Unusualness {
  /** 0: usual or fewer; 1: twice the deviation of an anomaly. */
  readonly score: number;
  readonly reason: string;
}

/**
 * Compares the number of detections at a camera with its baseline, from the start of the hour that contains the start of an event to the
 * end of the event or of the hour. Null without enough data for this hour.
 */
export async function unusualnessOf(
  sql: Sql,
  event: { readonly cameraId: string; readonly startedAt: Date; readonly endedAt: Date },
  timeZone: string,
): Promise<Unusualness | null> {
  const hour = localHourAt(event.startedAt, timeZone);
  const known = await readKnown(sql, event.cameraId, event.startedAt);
  const usual = usualIn(known, hour, null);
  if (!usual) return null;
  // The last detection of the event belongs to it.
  const until = new Date(Math.min(event.endedAt.getTime() + 1, hour.end.getTime()));
  const counted = await countHour(sql, event.cameraId, hour.start, until);
  const count = counted.reduce((sum, each) => sum + each.count, 0);
  const score = scoreOf(usual, count, (until.getTime() - hour.start.getTime()) / hourMs);
  return {
    score: Math.round(Math.min(1, Math.max(0, score / (2 * known.config.threshold_stdev))) * 1000) / 1000,
    reason: writeReason({ objectClass: null, count, usual, hour, until }),
  };
}
