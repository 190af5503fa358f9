import type { statisticsRoutes } from "../routes/statistics.ts";
import { cameraId, cameraName } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";

/** Of January 2026. */
export const statisticsExamples = {
  getEventStats: {
    reply: {
      total_events: 61,
      events_by_risk_level: { low: 38, medium: 16, high: 5, critical: 0 },
      risk_distribution: [
        { risk_level: "low", count: 38 },
        { risk_level: "medium", count: 16 },
        { risk_level: "high", count: 5 },
        { risk_level: "critical", count: 0 },
      ],
      events_by_camera: [{ camera_id: cameraId, camera_name: cameraName, event_count: 61 }],
      unscored_events: 2,
    },
  },
  getEventTimeline: {
    reply: {
      buckets: [
        { timestamp: "2026-01-30T00:00:00.000Z", event_count: 3, max_risk_score: 41 },
        { timestamp: "2026-01-31T00:00:00.000Z", event_count: 2, max_risk_score: 72 },
      ],
      total_events: 5,
    },
  },
  getDetectionStats: {
    reply: {
      total_detections: 9,
      detections_by_class: { person: 6, dog: 3 },
      object_class_distribution: [
        { object_class: "person", count: 6 },
        { object_class: "dog", count: 3 },
      ],
      average_confidence: 0.81,
      trends: [
        { timestamp: "2026-01-30T00:00:00.000Z", detection_count: 7 },
        { timestamp: "2026-01-31T00:00:00.000Z", detection_count: 2 },
      ],
    },
  },
  listDetectionLabels: {
    reply: {
      labels: [
        { label: "person", count: 402 },
        { label: "dog", count: 97 },
      ],
    },
  },
} satisfies ExamplesOf<typeof statisticsRoutes>;
