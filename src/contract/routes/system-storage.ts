import { z } from "zod";
import { route } from "../route.ts";
import { BoolText, Instant } from "../values.ts";

const Files = z.object({
  file_count: z.int().meta({ description: "How many" }),
  size_bytes: z.int().meta({ description: "How large together" }),
});
const At = Instant.meta({ description: "When this was found out" });

export const StorageReply = z
  .object({
    disk_used_bytes: z.int().meta({ description: "Of the disk with the data folder", example: 41203904512 }),
    disk_total_bytes: z.int().meta({ description: "Of the disk with the data folder", example: 125271277568 }),
    disk_free_bytes: z.int().meta({ description: "What homesec may still use of it", example: 77661974528 }),
    disk_usage_percent: z.number().meta({ description: "0 to 100; what is reserved for the system is neither used nor free" }),
    thumbnails: Files.meta({ description: "Thumbnails that are kept", example: { file_count: 212, size_bytes: 2713600 } }),
    images: Files.meta({ description: "The original pictures as the ledger knows them" }),
    database_bytes: z.int().meta({ description: "The database as a whole", example: 148897792 }),
    events_count: z.int().meta({ description: "Events that are not deleted", example: 1204 }),
    detections_count: z.int().meta({ description: "Detections", example: 90212 }),
    gpu_stats_count: z.int().meta({ description: "Samples of the graphics card" }),
    logs_count: z.int().meta({ description: "Log files", example: 7 }),
    timestamp: At,
  })
  .meta({
    id: "Storage",
    description: "Get the used disk space",
    example: { disk_usage_percent: 34.66, images: { file_count: 55831, size_bytes: 9802334208 } },
  });

export const CleanupReport = z
  .object({
    events_deleted: z.int().meta({ description: "Events", example: 31 }),
    detections_deleted: z.int().meta({ description: "Detections", example: 2204 }),
    gpu_stats_deleted: z.int().meta({ description: "Samples of the graphics card" }),
    logs_deleted: z.int().meta({ description: "Log files", example: 1 }),
    thumbnails_deleted: z.int().meta({ description: "Thumbnails of deleted detections", example: 14 }),
    images_deleted: z.int().meta({ description: "Original pictures; they go with DELETE_IMAGES=true only" }),
    space_reclaimed: z.int().meta({ description: "Bytes of the deleted files", example: 413184 }),
    retention_days: z.int().meta({ description: "Retention period in days", example: 30 }),
    dry_run: z.boolean().meta({ description: "True when nothing was deleted: the numbers say what would be", example: true }),
    timestamp: At,
  })
  .meta({ id: "CleanupReport", description: "Result of a cleanup" });

export const storageRoutes = {
  getStorage: route("/api/system/storage", { method: "get", summary: "Get the used disk space", tag: "system", reply: StorageReply }),
  cleanUp: route("/api/system/cleanup", {
    method: "post",
    summary: "Delete data older than the retention period",
    tag: "system",
    slow: true,
    query: z.object({ dry_run: BoolText.default(false).meta({ description: "Report what would be deleted, without deleting" }) }),
    reply: CleanupReport,
  }),
};
