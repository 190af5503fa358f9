import { z } from "zod";
import { riskLevels } from "../constants.ts";
import { routesOf } from "../route.ts";
import { BoolText, Instant } from "../values.ts";

const route = routesOf("system");

const Files = z.object({
  file_count: z.int().meta({ description: "Number of files" }),
  size_bytes: z.int().meta({ description: "Total size in bytes" }),
});
const At = Instant.meta({ description: "Time of the measurement" });

export const StorageReply = z
  .object({
    disk_used_bytes: z.int().meta({ description: "Used space of the disk with the data folder", example: 41203904512 }),
    disk_total_bytes: z.int().meta({ description: "Size of the disk with the data folder", example: 125271277568 }),
    disk_free_bytes: z.int().meta({ description: "Space available to homesec", example: 77661974528 }),
    disk_usage_percent: z
      .number()
      .meta({ description: "Used space in percent, 0 to 100; space reserved for the system counts as neither used nor free" }),
    thumbnails: Files.meta({ description: "Stored thumbnails", example: { file_count: 212, size_bytes: 2713600 } }),
    images: Files.meta({ description: "Original pictures in the ledger" }),
    database_bytes: z.int().meta({ description: "Size of the database", example: 148897792 }),
    events_count: z.int().meta({ description: "Number of events, without deleted ones", example: 1204 }),
    detections_count: z.int().meta({ description: "Number of detections", example: 90212 }),
    gpu_stats_count: z.int().meta({ description: "Number of samples of the graphics card" }),
    logs_count: z.int().meta({ description: "Number of log files", example: 7 }),
    timestamp: At,
  })
  .meta({
    id: "Storage",
    description: "Used disk space",
    example: { disk_usage_percent: 34.66, images: { file_count: 55831, size_bytes: 9802334208 } },
  });

/** Periods in days, as they are in effect. */
export const periodFields = {
  event_days: z.int().meta({ description: "Days that it keeps events", example: 365 }),
  original_days: z.int().meta({ description: "Days that it keeps original pictures, only with DELETE_IMAGES=true", example: 30 }),
  thumbnail_days: z.int().meta({ description: "Days that it keeps thumbnails", example: 90 }),
};

/** What one rule deletes. */
const RuleShare = z.object({
  camera_id: z.string().nullable().meta({ description: "Camera of the rule; null for every camera", example: "front-door" }),
  risk_level: z.enum(riskLevels).nullable().meta({ description: "Level of the rule; null for every level", example: "high" }),
  ...periodFields,
  events: z.int().meta({ description: "Events to delete" }),
  images: z.int().meta({ description: "Original pictures to delete, only with DELETE_IMAGES=true" }),
  thumbnails: z.int().meta({ description: "Thumbnails to delete" }),
  bytes: z.int().meta({ description: "Size of these files" }),
});

export const CleanupReport = z
  .object({
    events_deleted: z.int().meta({ description: "Deleted events", example: 31 }),
    detections_deleted: z.int().meta({ description: "Deleted detections", example: 2204 }),
    gpu_stats_deleted: z.int().meta({ description: "Deleted samples of the graphics card" }),
    logs_deleted: z.int().meta({ description: "Deleted log files", example: 1 }),
    thumbnails_deleted: z.int().meta({ description: "Deleted thumbnails", example: 14 }),
    images_deleted: z.int().meta({ description: "Deleted original pictures, only with DELETE_IMAGES=true" }),
    space_reclaimed: z.int().meta({ description: "Freed space in bytes", example: 413184 }),
    retention_days: z.int().meta({ description: "Retention period in days", example: 30 }),
    dry_run: z
      .boolean()
      .meta({ description: "True when nothing was deleted; the numbers then count what a cleanup would delete", example: true }),
    timestamp: At,
    by_rule: z
      .array(RuleShare)
      .nullable()
      .meta({ description: "What each retention rule would delete, everything without a rule at the end; null unless a dry run" }),
  })
  .meta({ id: "CleanupReport", description: "Result of a cleanup" });

export const storageRoutes = {
  getStorage: route.get("/api/system/storage", "Get the used disk space", { reply: StorageReply }),
  cleanUp: route.post("/api/system/cleanup", "Delete data older than the retention period", {
    slow: true,
    query: z.object({ dry_run: BoolText.default(false).meta({ description: "Report what would be deleted, without deleting" }) }),
    reply: CleanupReport,
  }),
};
