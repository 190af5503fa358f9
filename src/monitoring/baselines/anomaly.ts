import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { isHeldBack } from "../../work/outbox/restores-repository.ts";
import { type NewAnomaly, type StoredAnomaly, storeAnomaly } from "./anomalies-repository.ts";
import { type Known, usualIn } from "./known.ts";
import type { LocalHour } from "./local-hour.ts";
import { writeReason } from "./reason.ts";
import { rounded, scoreOf } from "./statistics.ts";

/** Counts of a camera's hour, or of its past part. */
export interface CountedHour {
  readonly cameraId: string;
  readonly hour: LocalHour;
  /** End of the counted part; the end of the hour if it is over. */
  readonly until: Date;
  readonly isOver: boolean;
  /** By class. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Returns the anomalies of an hour: of all detections and of each class whose count deviates by more than the threshold. For the running
 * hour only counts that already exceed the whole hour: counts only grow, so frequent checks never cause more false alarms. Too few
 * detections are reported when the hour is over.
 */
export function unusualIn(counted: CountedHour, known: Known): readonly NewAnomaly[] {
  const { cameraId, hour, until, counts, isOver } = counted;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const classes = [...new Set([...known.classHours.keys(), ...counts.keys()])].toSorted();
  return [null, ...classes].flatMap((objectClass) => {
    const count = objectClass === null ? total : (counts.get(objectClass) ?? 0);
    const usual = usualIn(known, hour, objectClass);
    const score = usual ? scoreOf(usual, count) : 0;
    if (!usual || (isOver ? Math.abs(score) : score) <= known.config.threshold_stdev) return [];
    return [
      {
        cameraId,
        hourStartedAt: hour.start,
        timestamp: until,
        detection_class: objectClass,
        anomaly_score: rounded(score),
        expected_frequency: rounded(usual.mean),
        observed_frequency: count,
        reason: writeReason({ objectClass, count, usual, hour, until }),
      },
    ];
  });
}

/** Stores anomalies in the caller's transaction and announces new ones. Returns how many were new. */
export async function reportAnomalies(sql: Sql, anomalies: readonly NewAnomaly[], now: Date): Promise<number> {
  const added: StoredAnomaly[] = [];
  for (const anomaly of anomalies) {
    const stored = await storeAnomaly(sql, anomaly, now);
    if (stored) added.push(stored);
  }
  await appendToJournal(
    sql,
    added.map(({ cameraId, hourStartedAt, ...anomaly }) => ({
      type: "anomaly",
      data: { ...anomaly, kind: "baseline", camera_id: cameraId, hour_started_at: hourStartedAt },
    })),
    now,
  );
  // Anomalies of one call are found together, in the same hour or day
  const newest = Math.max(...added.map(({ timestamp }) => timestamp.getTime()));
  if (added.length > 0 && (await isHeldBack(sql, new Date(newest)))) return added.length;
  await emit(
    sql,
    added.map(({ cameraId, timestamp, anomaly_score: score, reason }) => ({
      type: "anomaly_detected",
      eventId: cameraId,
      data: { kind: "baseline", camera_id: cameraId, detected_at: timestamp, score, reason },
    })),
    now,
  );
  return added.length;
}
