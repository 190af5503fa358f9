import { z } from "zod";
import { ranges } from "../constants.ts";
import { routesOf } from "../route.ts";
import { DayText, IntText } from "../values.ts";

const route = routesOf("analytics");

const Day = z.string().meta({ format: "date", description: "A day in UTC", example: "2026-01-31" });
const Count = z.int().meta({ description: "Number", example: 9 });
const Percentage = z.number().meta({ description: "Percentage of the detections of all classes, 0 to 100", example: 66.67 });
const CameraId = z.string().meta({ description: "Camera id; deleted cameras are left out", example: "front-door" });
const CameraName = z.string().meta({ description: "Name of the camera", example: "Front door" });
const Score = z.int().meta({ description: "Bound of the bucket, inclusive" });
const ObjectType = z.string().meta({ description: "Class of the object", example: "person" });

const range = {
  start_date: DayText.meta({ format: "date", description: "First day (YYYY-MM-DD, UTC)" }),
  end_date: DayText.meta({ format: "date", description: "Last day (YYYY-MM-DD, UTC), included; at most 365 days from the first" }),
};
const asked = { start_date: Day.meta({ description: "As requested" }), end_date: Day.meta({ description: "As requested" }) };

function perDay<T extends Readonly<Record<string, z.ZodType>>>(shape: T) {
  return z.array(z.object({ date: Day, ...shape })).meta({ description: "Every day of the range, oldest first" });
}

/** Common to all analytics routes: a range of days, and a reply that clients may cache for five minutes. */
const common = {
  etag: true,
  maxAgeSeconds: 300,
  refusals: { 400: "`start_date` is after `end_date`, or the range has more than 365 days" },
} as const;

export const analyticsRoutes = {
  getDetectionTrends: route.get("/api/analytics/detection-trends", "Detections per day", {
    ...common,
    query: z.object(range),
    reply: z.object({ data_points: perDay({ count: Count }), total_detections: Count, ...asked }),
  }),
  getRiskHistory: route.get(
    "/api/analytics/risk-history",
    "Scored events per day by fixed risk level: low 0-29, medium 30-59, high 60-84, critical 85-100",
    {
      ...common,
      query: z.object(range),
      reply: z.object({
        data_points: perDay({ low: Count, medium: Count, high: Count, critical: Count }),
        ...asked,
      }),
      example: { reply: { data_points: [{ date: "2026-01-31", low: 1, medium: 0, high: 1, critical: 0 }] } },
    },
  ),
  getCameraUptime: route.get("/api/analytics/camera-uptime", "Percentage of days with a detection, per camera", {
    ...common,
    query: z.object(range),
    reply: z.object({
      cameras: z
        .array(
          z.object({
            camera_id: CameraId,
            camera_name: CameraName,
            uptime_percentage: Percentage.meta({ description: "Percentage of days of the range with at least one detection, 0 to 100" }),
            detection_count: Count,
          }),
        )
        .meta({ description: "Cameras in order of id" }),
      ...asked,
    }),
  }),
  getObjectDistribution: route.get("/api/analytics/object-distribution", "Detections per class, most frequent first", {
    ...common,
    query: z.object(range),
    reply: z.object({
      object_types: z
        .array(z.object({ object_type: ObjectType, count: Count, percentage: Percentage }))
        .meta({ description: "Most frequent first" }),
      total_detections: Count,
      ...asked,
    }),
  }),
  getRiskScoreDistribution: route.get("/api/analytics/risk-score-distribution", "Scored events per range of scores", {
    ...common,
    query: z.object({
      ...range,
      bucket_size: IntText(...ranges.scoreBucketSize)
        .default(10)
        .meta({ description: "Scores per bucket, 1 to 50" }),
    }),
    reply: z.object({
      buckets: z
        .array(z.object({ min_score: Score, max_score: Score, count: Count }))
        .meta({ description: "Buckets from 0 to 100 without gaps" }),
      total_events: Count,
      ...asked,
      bucket_size: z.int().meta({ description: "Requested size; the last bucket ends at 100 and may be larger or smaller", example: 10 }),
    }),
  }),
  getRiskScoreTrends: route.get("/api/analytics/risk-score-trends", "Average risk score per day", {
    ...common,
    query: z.object(range),
    reply: z.object({
      data_points: perDay({ avg_score: z.number().meta({ description: "One decimal; 0 on a day without scored events" }), count: Count }),
      ...asked,
    }),
  }),
};
