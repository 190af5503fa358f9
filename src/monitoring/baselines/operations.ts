import { dayMs, hourMs } from "../../base/clock/clock.ts";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import type { baselineRoutes } from "../../contract/routes/baselines.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { requireCamera } from "../cameras/cameras-repository.ts";
import { detectionClasses } from "../detections/detections-repository.ts";
import { anomaliesSince } from "./anomalies-repository.ts";
import { activityBaseline, classBaseline, currentDeviation, dailyPatterns, hourlyPatterns, objectBaselines } from "./baseline.ts";
import { baselineConfigOf } from "./baseline-config.ts";
import { changeBaselineConfig, deleteBaselines, findBaselineConfig } from "./baselines-repository.ts";
import { type Known, readKnown, usualIn } from "./known.ts";
import { countHour } from "./learning-repository.ts";
import { localHourAt } from "./local-hour.ts";
import { discardHours, lockBaselinesOf } from "./observed-hours-repository.ts";
import { clockTime } from "./reason.ts";
import { pooled } from "./statistics.ts";

/** The use cases of baselines. */
export const baselineOperations: Pick<Operations, keyof typeof baselineRoutes> = {
  getBaseline: async ({ params: { camera_id: cameraId } }, { db, clock }) => {
    const now = clock.now();
    const timeZone = localTimeZone();
    const running = localHourAt(now, timeZone);
    return await db.query(async (sql) => {
      const camera = await requireCamera(sql, cameraId);
      const [known, stored, counted] = await Promise.all([
        readKnown(sql, cameraId, now),
        detectionClasses(sql, [cameraId]),
        countHour(sql, cameraId, running.start, now),
      ]);
      const counts = new Map(counted.map(({ objectClass, count }) => [objectClass, count]));
      const compare = (name: string | null, count: number) => ({ name, count, usual: usualIn(known, running, name) });
      const classes = [...new Set([...known.classHours.keys(), ...counts.keys()])].toSorted();
      return {
        camera_id: cameraId,
        camera_name: camera.name,
        baseline_established: isEstablished(known),
        data_points: pooled(known.hours).samples,
        hourly_patterns: hourlyPatterns(known.hours),
        daily_patterns: dailyPatterns(known.hours),
        object_baselines: objectBaselines(
          [...known.classHours.values()].flat(),
          new Map(stored.map(({ objectType, count }) => [objectType, count])),
        ),
        current_deviation: currentDeviation(
          compare(
            null,
            [...counts.values()].reduce((sum, count) => sum + count, 0),
          ),
          classes.map((name) => compare(name, counts.get(name) ?? 0)),
          { part: (now.getTime() - running.start.getTime()) / hourMs, from: clockTime(running.start, timeZone) },
          known.config.threshold_stdev,
        ),
      };
    });
  },

  listAnomalies: async ({ params: { camera_id: cameraId }, query: { days } }, { db, clock }) => {
    const since = new Date(clock.now().getTime() - days * dayMs);
    const anomalies = await db.query(async (sql) => {
      await requireCamera(sql, cameraId);
      return await anomaliesSince(sql, cameraId, since);
    });
    return { camera_id: cameraId, anomalies: [...anomalies], count: anomalies.length, period_days: days };
  },

  getActivityBaseline: async ({ params: { camera_id: cameraId } }, { db, clock }) =>
    await db.query(async (sql) => {
      await requireCamera(sql, cameraId);
      const { hours, config } = await readKnown(sql, cameraId, clock.now());
      return activityBaseline(cameraId, hours, config.min_samples);
    }),

  getClassBaseline: async ({ params: { camera_id: cameraId } }, { db, clock }) =>
    await db.query(async (sql) => {
      await requireCamera(sql, cameraId);
      const { classHours } = await readKnown(sql, cameraId, clock.now());
      return classBaseline(cameraId, [...classHours.values()].flat());
    }),

  getBaselineConfig: async ({ params: { camera_id: cameraId } }, { db }) =>
    await db.query(async (sql) => {
      await requireCamera(sql, cameraId);
      return baselineConfigOf(await findBaselineConfig(sql, cameraId));
    }),

  updateBaselineConfig: async ({ params: { camera_id: cameraId }, body }, { db, clock }) => {
    const change = {
      thresholdStdev: body.threshold_stdev,
      minSamples: body.min_samples,
      override: body.override_global_config,
    };
    return await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      return baselineConfigOf(await changeBaselineConfig(sql, cameraId, change, clock.now()));
    });
  },

  resetBaseline: async ({ params: { camera_id: cameraId } }, { db, clock }) =>
    await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      await lockBaselinesOf(sql, cameraId);
      // Learning restarts with detections from now on: the running hour, partly over, does not count.
      await discardHours(sql, cameraId, localHourAt(clock.now(), localTimeZone()));
      const { activity, classes } = await deleteBaselines(sql, cameraId);
      return { activity_baselines_deleted: activity, class_baselines_deleted: classes };
    }),
};

/** Tells whether at least one hour of the day has enough data. */
function isEstablished({ hours, config }: Known): boolean {
  const samples = new Map<number, number>();
  for (const each of hours) samples.set(each.hour, (samples.get(each.hour) ?? 0) + each.samples);
  return [...samples.values()].some((count) => count >= config.min_samples);
}
