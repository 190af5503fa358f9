import type { analyticsRoutes } from "../routes/analytics.ts";
import { cameraId, cameraName } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";

/** Two days, so that every one of them can be shown. */
const asked = { start_date: "2026-01-30", end_date: "2026-01-31" };

export const analyticsExamples = {
  getDetectionTrends: {
    reply: {
      data_points: [
        { date: "2026-01-30", count: 7 },
        { date: "2026-01-31", count: 2 },
      ],
      total_detections: 9,
      ...asked,
    },
  },
  getRiskHistory: {
    reply: {
      data_points: [
        { date: "2026-01-30", low: 2, medium: 1, high: 0, critical: 0 },
        { date: "2026-01-31", low: 1, medium: 0, high: 1, critical: 0 },
      ],
      ...asked,
    },
  },
  getCameraUptime: {
    reply: { cameras: [{ camera_id: cameraId, camera_name: cameraName, uptime_percentage: 100, detection_count: 9 }], ...asked },
  },
  getObjectDistribution: {
    reply: {
      object_types: [
        { object_type: "person", count: 6, percentage: 66.67 },
        { object_type: "dog", count: 3, percentage: 33.33 },
      ],
      total_detections: 9,
      ...asked,
    },
  },
  getRiskScoreDistribution: {
    reply: {
      buckets: [
        { min_score: 0, max_score: 24, count: 3 },
        { min_score: 25, max_score: 49, count: 1 },
        { min_score: 50, max_score: 74, count: 1 },
        { min_score: 75, max_score: 100, count: 0 },
      ],
      total_events: 5,
      ...asked,
      bucket_size: 25,
    },
  },
  getRiskScoreTrends: {
    reply: {
      data_points: [
        { date: "2026-01-30", avg_score: 24.3, count: 3 },
        { date: "2026-01-31", avg_score: 45, count: 2 },
      ],
      ...asked,
    },
  },
} satisfies ExamplesOf<typeof analyticsRoutes>;
