import { z } from "zod";
import { bucketSizes, mostBuckets, riskLevels } from "../constants.ts";
import { route } from "../route.ts";
import { ClassText, DayOrInstantText, EndInstant, EnumText, Instant, StartInstant, TimeZoneText } from "../values.ts";

const Count = z.int().meta({ description: "How many", example: 9 });
const CameraIds = z.array(z.string()).optional().meta({ description: "Only these cameras; may be given several times" });
const Start = StartInstant.optional().meta({ description: "Where the range begins: a date (its first instant in UTC) or a timestamp" });
const End = EndInstant.optional().meta({ description: "Where the range ends, included: a date (its last instant in UTC) or a timestamp" });

const CameraId = z.string().meta({ description: "Which camera, deleted or not", example: "front-door" });
const CameraName = z.string().meta({ description: "Display name", example: "Front door" });
const RiskLevel = z.enum(riskLevels).meta({ description: "As stored when the event was judged" });
const ObjectClass = z.string().meta({ description: "Class of the object", example: "person" });

const LevelCounts = z.object({ low: Count, medium: Count, high: Count, critical: Count });

/** Routes that count events and detections instead of listing them. */
export const statisticsRoutes = {
  getEventStats: route("/api/events/stats", {
    method: "get",
    summary: "Numbers of events by level and camera; soft-deleted ones do not count",
    tag: "events",
    query: z.object({ camera_id: CameraIds, start_date: Start, end_date: End }),
    reply: z.object({
      total_events: Count,
      events_by_risk_level: LevelCounts.meta({ description: "Judged events by their level" }),
      risk_distribution: z.array(z.object({ risk_level: RiskLevel, count: Count })).meta({ description: "The same as a list" }),
      events_by_camera: z
        .array(z.object({ camera_id: CameraId, camera_name: CameraName, event_count: Count }))
        .meta({ description: "Cameras with events, most first" }),
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
  getEventTimeline: route("/api/events/timeline-summary", {
    method: "get",
    summary: "Numbers of events and highest score per hour, day or week",
    tag: "events",
    query: z.object({
      start_date: DayOrInstantText.meta({ description: "Where it begins: a date (in `timezone`) or a timestamp" }),
      end_date: DayOrInstantText.meta({ description: "Where it ends, included: a date (in `timezone`, the whole day) or a timestamp" }),
      bucket_size: EnumText(bucketSizes)
        .optional()
        .meta({
          description: `Weeks begin on Monday. More than ${mostBuckets} buckets are refused; left out, it is the smallest size with fewer`,
        }),
      camera_id: CameraIds,
      timezone: TimeZoneText.default("UTC").meta({ description: "Whose hours, days and weeks; a name such as Europe/Berlin" }),
    }),
    reply: z.object({
      buckets: z
        .array(
          z.object({
            timestamp: Instant.meta({ description: "Where the hour, day or week begins" }),
            event_count: Count,
            max_risk_score: z.int().nullable().meta({ description: "Null when no event in it is judged" }),
          }),
        )
        .meta({ description: "Every one of the range, oldest first. Only events within the range count, also in the first and last" }),
      total_events: Count,
    }),
    example: { reply: { buckets: [{ timestamp: "2026-01-31T00:00:00.000Z", event_count: 2, max_risk_score: 72 }], total_events: 2 } },
  }),
  getDetectionStats: route("/api/detections/stats", {
    method: "get",
    summary: "Numbers of detections by class and day",
    tag: "detections",
    query: z.object({
      camera_id: CameraIds,
      object_type: z.array(ClassText).optional().meta({ description: "Only these classes; may be given several times" }),
      start_date: Start,
      end_date: End,
    }),
    reply: z.object({
      total_detections: Count,
      detections_by_class: z.record(z.string(), Count).meta({ description: "How many of each class", example: { person: 6, dog: 3 } }),
      object_class_distribution: z
        .array(z.object({ object_class: ObjectClass, count: Count }))
        .meta({ description: "The same as a list, most first" }),
      average_confidence: z.number().nullable().meta({ description: "0 to 1; null without detections", example: 0.81 }),
      trends: z
        .array(z.object({ timestamp: Instant.meta({ description: "Begin of a day in UTC" }), detection_count: Count }))
        .meta({ description: "Each of the last 30 days of the range, oldest first" }),
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
  listDetectionLabels: route("/api/detections/labels", {
    method: "get",
    summary: "Every class that was ever detected, most frequent first",
    tag: "detections",
    reply: z.object({ labels: z.array(z.object({ label: ObjectClass, count: Count })).meta({ description: "Most frequent first" }) }),
  }),
};
