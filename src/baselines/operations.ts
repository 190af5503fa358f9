import { requireCamera } from "../cameras/required.ts";
import type { baselineRoutes } from "../contract/routes/baselines.ts";
import { countDetections, detectionClasses } from "../detections/detections-repository.ts";
import type { Operations } from "../operations/operation.ts";
import {
  activityBaseline,
  classBaseline,
  currentDeviation,
  dailyPatterns,
  hourlyPatterns,
  hourOfWeek,
  objectBaselines,
  startOfHour,
  totalSamples,
} from "./baseline.ts";
import { baselineConfigOf } from "./baseline-config.ts";
import {
  activityOf,
  anomaliesSince,
  changeBaselineConfig,
  classesOf,
  deleteBaselines,
  findBaselineConfig,
} from "./baselines-repository.ts";

const dayMs = 86_400_000;

/** The use cases of baselines. */
export const baselineOperations: Pick<Operations, keyof typeof baselineRoutes> = {
  getBaseline: async ({ params: { camera_id: cameraId } }, { db, clock }) => {
    const now = clock.now();
    return await db.query(async (sql) => {
      const camera = await requireCamera(sql, cameraId);
      const [hours, classHours, stored, config, seenThisHour] = await Promise.all([
        activityOf(sql, cameraId),
        classesOf(sql, cameraId),
        detectionClasses(sql, [cameraId]),
        findBaselineConfig(sql, cameraId),
        countDetections(sql, { cameraIds: [cameraId], from: startOfHour(now), to: now }),
      ]);
      const limits = baselineConfigOf(config);
      const { dayOfWeek, hour } = hourOfWeek(now);
      const usual = hours.find((each) => each.dayOfWeek === dayOfWeek && each.hour === hour);
      return {
        camera_id: cameraId,
        camera_name: camera.name,
        baseline_established: hours.some((each) => each.samples >= limits.min_samples),
        data_points: totalSamples(hours),
        hourly_patterns: hourlyPatterns(hours),
        daily_patterns: dailyPatterns(hours),
        object_baselines: objectBaselines(classHours, new Map(stored.map(({ objectType, count }) => [objectType, count]))),
        current_deviation: currentDeviation(usual, seenThisHour, now, {
          minSamples: limits.min_samples,
          thresholdStdev: limits.threshold_stdev,
        }),
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

  getActivityBaseline: async ({ params: { camera_id: cameraId } }, { db }) =>
    await db.query(async (sql) => {
      await requireCamera(sql, cameraId);
      const limits = baselineConfigOf(await findBaselineConfig(sql, cameraId));
      return activityBaseline(cameraId, await activityOf(sql, cameraId), limits.min_samples);
    }),

  getClassBaseline: async ({ params: { camera_id: cameraId } }, { db }) =>
    await db.query(async (sql) => {
      await requireCamera(sql, cameraId);
      return classBaseline(cameraId, await classesOf(sql, cameraId));
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

  resetBaseline: async ({ params: { camera_id: cameraId } }, { db }) =>
    await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      const { activity, classes } = await deleteBaselines(sql, cameraId);
      return { activity_baselines_deleted: activity, class_baselines_deleted: classes };
    }),
};
