import { z } from "zod";
import { bucketSizes, mostBuckets, riskLevels } from "../constants.ts";
import { routesOf } from "../route.ts";
import { ClassText, DayOrInstantText, EndInstant, EnumText, Instant, StartInstant, TimeZoneText } from "../values.ts";

const events = routesOf("events");
const detections = routesOf("detections");

const Count = z.int().meta({ description: "Number", example: 9 });
const CameraIds = z.array(z.string()).optional().meta({ description: "Only these cameras; may be given several times" });
const Start = StartInstant.optional().meta({ description: "Start of the range: a date (its first instant in UTC) or a timestamp" });
const End = EndInstant.optional().meta({ description: "End of the range, inclusive: a date (its last instant in UTC) or a timestamp" });

const CameraId = z.string().meta({ description: "Camera id; may be a deleted camera", example: "front-door" });
const CameraName = z.string().meta({ description: "Display name", example: "Front door" });
const RiskLevel = z.enum(riskLevels).meta({ description: "Risk level stored with the score" });
const ObjectClass = z.string().meta({ description: "Class of the object", example: "person" });

const LevelCounts = z.object({ low: Count, medium: Count, high: Count, critical: Count });

/** Routes that count events and detections instead of listing them. */
export const statisticsRoutes = {
  getEventStats: events.get("/api/events/stats", "Count events by risk level and camera, without soft-deleted events", {
    query: z.object({ camera_id: CameraIds, start_date: Start, end_date: End }),
    reply: z.object({
      total_events: Count,
      events_by_risk_level: LevelCounts.meta({ description: "Scored events by risk level" }),
      risk_distribution: z.array(z.object({ risk_level: RiskLevel, count: Count })).meta({ description: "Same counts as a list" }),
      events_by_camera: z
        .array(z.object({ camera_id: CameraId, camera_name: CameraName, event_count: Count }))
        .meta({ description: "Cameras with events, largest count first" }),
      unscored_events: Count.meta({ description: "Events without a score", example: 2 }),
    }),
    example: {
      reply: {
        total_events: 61,
        events_by_risk_level: { low: 38, medium: 16, high: 5, critical: 0 },
        risk_distribution: [
          { risk_level: "low", count: 38 },
          { risk_level: "medium", count: 16 },
          { risk_level: "high", count: 5 },
          { risk_level: "critical", count: 0 },
        ],
        events_by_camera: [{ camera_id: "front-door", camera_name: "Front door", event_count: 61 }],
      },
    },
  }),
  getEventTimeline: events.get("/api/events/timeline-summary", "Count events per hour, day or week, with the highest score", {
    query: z.object({
      start_date: DayOrInstantText.meta({ description: "Start: a date (in `timezone`) or a timestamp" }),
      end_date: DayOrInstantText.meta({ description: "End, inclusive: a date (in `timezone`, the whole day) or a timestamp" }),
      bucket_size: EnumText(bucketSizes)
        .optional()
        .meta({
          description: `Bucket size, at most ${mostBuckets} buckets (default: the smallest size that fits); weeks begin on Monday`,
        }),
      camera_id: CameraIds,
      timezone: TimeZoneText.default("UTC").meta({ description: "Time zone of the hours, days and weeks, such as Europe/Berlin" }),
    }),
    reply: z.object({
      buckets: z
        .array(
          z.object({
            timestamp: Instant.meta({ description: "Start of the hour, day or week" }),
            event_count: Count,
            max_risk_score: z.int().nullable().meta({ description: "Highest score; null without scored events" }),
          }),
        )
        .meta({ description: "All buckets of the range, oldest first; the first and last count only events within the range" }),
      total_events: Count,
    }),
    example: { reply: { buckets: [{ timestamp: "2026-01-31T00:00:00.000Z", event_count: 2, max_risk_score: 72 }], total_events: 2 } },
  }),
  getDetectionStats: detections.get("/api/detections/stats", "Count detections by class and day", {
    query: z.object({
      camera_id: CameraIds,
      object_type: z.array(ClassText).optional().meta({ description: "Only these classes; may be given several times" }),
      start_date: Start,
      end_date: End,
    }),
    reply: z.object({
      total_detections: Count,
      detections_by_class: z.record(z.string(), Count).meta({ description: "Number per class", example: { person: 6, dog: 3 } }),
      object_class_distribution: z
        .array(z.object({ object_class: ObjectClass, count: Count }))
        .meta({ description: "Same counts as a list, largest first" }),
      average_confidence: z.number().nullable().meta({ description: "Average confidence, 0 to 1; null without detections", example: 0.81 }),
      trends: z
        .array(z.object({ timestamp: Instant.meta({ description: "Start of a day in UTC" }), detection_count: Count }))
        .meta({ description: "Last 30 days of the range, oldest first" }),
    }),
    example: {
      reply: {
        object_class_distribution: [
          { object_class: "person", count: 6 },
          { object_class: "dog", count: 3 },
        ],
      },
    },
  }),
  listDetectionLabels: detections.get("/api/detections/labels", "List the detected classes, most frequent first", {
    reply: z.object({ labels: z.array(z.object({ label: ObjectClass, count: Count })).meta({ description: "Most frequent first" }) }),
  }),
};
