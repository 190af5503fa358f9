import { z } from "zod";
import { deviations, ranges } from "../constants.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, Instant, IntText, NumberBetween, readOnly } from "../values.ts";

const route = routesOf("cameras");

const Hour = z.int().min(0).max(23).meta({ description: "Hour of the day, 0 to 23, in the time zone of the machine", example: 18 });
const PeakHour = Hour.nullable().meta({
  description: "Busiest hour, 0 to 23, in the time zone of the machine; null without data",
  example: 18,
});

const Average = z.number().meta({ description: "Average detections per hour", example: 1.4 });
const Deviation = z.number().meta({ description: "Standard deviation of the average", example: 1.1 });
const Samples = z.int().meta({ description: "Number of hours learned from", example: 21 });

/** Summary of a camera's baseline. It contains only hours and days with data. */
export const Baseline = z
  .object({
    camera_id: CameraIdText,
    camera_name: z.string().meta({ description: "Display name", example: "Front door" }),
    baseline_established: z.boolean().meta({ description: "Whether at least one hour of the day has `min_samples` samples" }),
    data_points: z.int().meta({ description: "Number of hours learned from", example: 512 }),
    hourly_patterns: z
      .record(z.string(), z.object({ avg_detections: Average, std_dev: Deviation, sample_count: Samples }))
      .meta({ description: 'By hour of the day, "0" to "23", in the time zone of the machine' }),
    daily_patterns: z
      .record(z.string(), z.object({ avg_detections: Average, peak_hour: PeakHour, total_samples: Samples }))
      .meta({ description: "By weekday, monday to sunday; detections per hour" }),
    object_baselines: z
      .record(
        z.string(),
        z.object({
          avg_hourly: Average,
          peak_hour: PeakHour,
          total_detections: z.int().meta({ description: "Stored detections" }),
        }),
      )
      .meta({ description: "By class" }),
    current_deviation: z
      .object({
        score: z.number().meta({ description: "Standard deviations from the average, for the current hour" }),
        interpretation: z.enum(deviations).meta({ description: "Score as a word" }),
        contributing_factors: z.array(z.string()).meta({ description: "Reasons for the deviation" }),
      })
      .nullable()
      .meta({ description: "Deviation of the current hour; null while it has fewer than `min_samples` samples" }),
  })
  .meta({
    id: "Baseline",
    description: "Summary of a camera's baseline",
    example: {
      baseline_established: true,
      hourly_patterns: { "18": { avg_detections: 1.4, std_dev: 1.1, sample_count: 21 } },
      daily_patterns: { saturday: { avg_detections: 0.8, peak_hour: 18, total_samples: 72 } },
      object_baselines: { person: { avg_hourly: 0.6, peak_hour: 18, total_detections: 402 } },
      current_deviation: { score: 0.4, interpretation: "normal", contributing_factors: [] },
    },
  });

export const Anomaly = z
  .object({
    timestamp: Instant.meta({ description: "Time of detection: within the hour or at its end" }),
    detection_class: z.string().nullable().meta({ description: "Class of the objects; null for all classes together", example: "person" }),
    anomaly_score: z.number().meta({ description: "Standard deviations from the average; negative when below it", example: 3.4 }),
    expected_frequency: z.number().meta({ description: "Expected detections in the hour", example: 1.2 }),
    observed_frequency: z.number().meta({ description: "Detections in the hour until this time", example: 6 }),
    reason: z.string().meta({ description: "Summary" }),
  })
  .meta({
    id: "Anomaly",
    description: "An hour with unusual activity",
    example: { reason: "6 detections of person in the first 42 minutes of the hour; 1.2 are usual in the whole hour" },
  });

export const ActivityBaseline = z
  .object({
    camera_id: CameraIdText,
    entries: z
      .array(
        z.object({
          hour: Hour,
          day_of_week: z.int().min(0).max(6).meta({ description: "Weekday, 0 is Monday" }),
          avg_count: Average,
          std_dev: Deviation,
          sample_count: Samples,
          is_peak: z.boolean().meta({ description: "Whether this is the busiest hour of the week" }),
        }),
      )
      .meta({ description: "Hours of the week with data" }),
    total_samples: Samples,
    peak_hour: PeakHour,
    peak_day: z.int().min(0).max(6).nullable().meta({ description: "Busiest weekday, 0 is Monday; null without data" }),
    learning_complete: z.boolean().meta({ description: "Whether each hour of the week has `min_samples_required` samples" }),
    min_samples_required: z.int().meta({ description: "Effective `min_samples` of this camera" }),
  })
  .meta({ id: "ActivityBaseline", description: "The usual number of detections by hour of the week", example: { total_samples: 512 } });

export const ClassBaseline = z
  .object({
    camera_id: CameraIdText,
    entries: z
      .array(
        z.object({
          object_class: z.string().meta({ description: "Class of the object", example: "person" }),
          hour: Hour,
          frequency: z.number().meta({ description: "Detections in this hour of a day, over all weekdays" }),
          sample_count: Samples,
        }),
      )
      .meta({ description: "Classes and hours with data" }),
    unique_classes: z.array(z.string()).meta({ description: "Classes with data", example: ["person"] }),
    total_samples: Samples,
    most_common_class: z.string().nullable().meta({ description: "Most frequent class; null without data" }),
  })
  .meta({
    id: "ClassBaseline",
    description: "The usual number of detections by class and hour",
    example: { total_samples: 512, most_common_class: "person" },
  });

const ThresholdStdev = NumberBetween(...ranges.baselineThresholdStdev).meta({
  description: "Threshold for an anomaly, in standard deviations",
  example: 2,
});
const MinSamples = z
  .int()
  .min(ranges.baselineMinSamples[0])
  .meta({ description: "Minimum number of samples before an hour can be an anomaly", example: 10 });

/** The effective anomaly settings of a camera. */
export const BaselineConfig = z
  .object({
    threshold_stdev: z.number().meta({ description: "Effective threshold of this camera, in standard deviations" }),
    min_samples: z.int().meta({ description: "Effective minimum number of samples of this camera" }),
    override_global_config: z.boolean().meta({ description: "False when the camera's own values are stored but do not apply" }),
    global_config: z
      .object({
        threshold_stdev: z.number().meta({ description: "Threshold for an anomaly, in standard deviations", example: 2 }),
        min_samples: z.int().meta({ description: "Minimum number of samples before an hour can be an anomaly" }),
        decay_factor: z.number().meta({ description: "Weight of a new hour; the first hours have equal weights" }),
        window_days: z.int().meta({ description: "Days without new samples before an hour of the week is forgotten" }),
      })
      .meta({ description: "Values for cameras without their own" }),
  })
  .meta({ id: "BaselineConfig", description: "Anomaly settings of a camera" });

const params = z.object({ camera_id: CameraIdText });
const refusals = { 404: "No camera has this id" };
const common = { params, refusals } as const;

export const baselineRoutes = {
  getBaseline: route.get("/api/cameras/{camera_id}/baseline", "Get the baseline of a camera", { ...common, reply: Baseline }),
  listAnomalies: route.get("/api/cameras/{camera_id}/baseline/anomalies", "List recent anomalies of a camera, newest first", {
    ...common,
    query: z.object({
      days: IntText(...ranges.anomalyDays)
        .default(7)
        .meta({ description: "How far back, 1 to 90 days" }),
    }),
    reply: z.object({
      camera_id: CameraIdText,
      anomalies: z.array(Anomaly).meta({ description: "Newest first" }),
      count: z.int().meta({ description: "Number of anomalies", example: 1 }),
      period_days: z.int().meta({ description: "As requested", example: 7 }),
    }),
  }),
  getActivityBaseline: route.get("/api/cameras/{camera_id}/baseline/activity", "Get the usual number of detections by hour of the week", {
    ...common,
    reply: ActivityBaseline,
  }),
  getClassBaseline: route.get("/api/cameras/{camera_id}/baseline/classes", "Get the usual number of detections by class and hour", {
    ...common,
    reply: ClassBaseline,
  }),
  getBaselineConfig: route.get("/api/cameras/{camera_id}/baseline/config", "Get the anomaly settings of a camera", {
    ...common,
    reply: BaselineConfig,
  }),
  updateBaselineConfig: route.put(
    "/api/cameras/{camera_id}/baseline/config",
    "Update the anomaly settings of a camera; omitted fields keep their values",
    {
      ...common,
      body: z.strictObject({
        threshold_stdev: ThresholdStdev.optional(),
        min_samples: MinSamples.optional(),
        override_global_config: z.boolean().optional().meta({ description: "Whether the camera's own values apply" }),
        ...readOnly(BaselineConfig, ["threshold_stdev", "min_samples", "override_global_config"]),
      }),
      reply: BaselineConfig,
      example: { body: { threshold_stdev: 3, override_global_config: true }, reply: { threshold_stdev: 3, override_global_config: true } },
    },
  ),
  resetBaseline: route.post("/api/cameras/{camera_id}/baseline/reset", "Reset the baseline of a camera", {
    ...common,
    reply: z.object({
      activity_baselines_deleted: z.int().meta({ description: "Deleted hours of the week", example: 168 }),
      class_baselines_deleted: z.int().meta({ description: "Deleted hours of classes", example: 336 }),
    }),
  }),
};
