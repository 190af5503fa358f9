import { z } from "zod";
import { route } from "../route.ts";
import { BoolText, Instant } from "../values.ts";

const Files = z.object({ file_count: z.int(), size_bytes: z.int() });

export const StorageReply = z
  .object({
    disk_used_bytes: z.int(),
    disk_total_bytes: z.int(),
    disk_free_bytes: z.int(),
    disk_usage_percent: z.number(),
    thumbnails: Files,
    images: Files.meta({ description: "The original pictures as the ledger knows them" }),
    database_bytes: z.int(),
    events_count: z.int(),
    detections_count: z.int(),
    gpu_stats_count: z.int(),
    logs_count: z.int().meta({ description: "Log files" }),
    timestamp: Instant,
  })
  .meta({ id: "Storage" });

export const CleanupReport = z
  .object({
    events_deleted: z.int(),
    detections_deleted: z.int(),
    gpu_stats_deleted: z.int(),
    logs_deleted: z.int().meta({ description: "Log files" }),
    thumbnails_deleted: z.int(),
    images_deleted: z.int().meta({ description: "Original pictures; they go with DELETE_IMAGES=true only" }),
    space_reclaimed: z.int().meta({ description: "Bytes of the deleted files" }),
    retention_days: z.int(),
    dry_run: z.boolean(),
    timestamp: Instant,
  })
  .meta({ id: "CleanupReport" });

export const storageRoutes = {
  getStorage: route("/api/system/storage", { method: "get", summary: "What takes up space", tag: "system", reply: StorageReply }),
  cleanUp: route("/api/system/cleanup", {
    method: "post",
    summary: "Delete now what is older than the retention",
    tag: "system",
    slow: true,
    query: z.object({ dry_run: BoolText.default(false).meta({ description: "Only tell what would be deleted" }) }),
    reply: CleanupReport,
  }),
};
