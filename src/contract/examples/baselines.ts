import type { z } from "zod";
import type { Anomaly, BaselineConfig, baselineRoutes } from "../routes/baselines.ts";
import { cameraId, cameraName } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";

const config = {
  threshold_stdev: 2,
  min_samples: 10,
  override_global_config: false,
  global_config: { threshold_stdev: 2, min_samples: 10, decay_factor: 0.1, window_days: 30 },
} satisfies z.input<typeof BaselineConfig>;

const anomaly = {
  timestamp: "2026-01-30T17:42:05.310Z",
  detection_class: "person",
  anomaly_score: 3.4,
  expected_frequency: 1.2,
  observed_frequency: 6,
  reason: "6 detections of person from 18:00 to 18:42; 1.2 are usual in this hour",
} satisfies z.input<typeof Anomaly>;

export const baselineExamples = {
  getBaseline: {
    reply: {
      camera_id: cameraId,
      camera_name: cameraName,
      baseline_established: true,
      data_points: 512,
      hourly_patterns: {
        "18": { avg_detections: 1.4, std_dev: 1.1, sample_count: 21 },
        "23": { avg_detections: 0.1, std_dev: 0.3, sample_count: 21 },
      },
      daily_patterns: { saturday: { avg_detections: 0.8, peak_hour: 18, total_samples: 72 } },
      object_baselines: {
        person: { avg_hourly: 0.6, peak_hour: 18, total_detections: 402 },
        dog: { avg_hourly: 0.2, peak_hour: 8, total_detections: 97 },
      },
      current_deviation: { score: 0.4, interpretation: "normal", contributing_factors: [] },
    },
  },
  listAnomalies: { reply: { camera_id: cameraId, anomalies: [anomaly], count: 1, period_days: 7 } },
  getActivityBaseline: {
    reply: {
      camera_id: cameraId,
      entries: [
        { hour: 18, day_of_week: 5, avg_count: 2.1, std_dev: 1.3, sample_count: 3, is_peak: true },
        { hour: 23, day_of_week: 5, avg_count: 0.1, std_dev: 0.3, sample_count: 3, is_peak: false },
      ],
      total_samples: 512,
      peak_hour: 18,
      peak_day: 5,
      learning_complete: false,
      min_samples_required: 10,
    },
  },
  getClassBaseline: {
    reply: {
      camera_id: cameraId,
      entries: [
        { object_class: "dog", hour: 8, frequency: 0.9, sample_count: 21 },
        { object_class: "person", hour: 18, frequency: 1.2, sample_count: 21 },
      ],
      unique_classes: ["dog", "person"],
      total_samples: 512,
      most_common_class: "person",
    },
  },
  getBaselineConfig: { reply: config },
  updateBaselineConfig: {
    body: { threshold_stdev: 3, override_global_config: true },
    reply: { ...config, threshold_stdev: 3, override_global_config: true },
  },
  resetBaseline: { reply: { activity_baselines_deleted: 168, class_baselines_deleted: 336 } },
} satisfies ExamplesOf<typeof baselineRoutes>;
