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
    disk_used_bytes: z.int().meta({ description: "Of the disk with the data folder" }),
    disk_total_bytes: z.int().meta({ description: "Of the disk with the data folder" }),
    disk_free_bytes: z.int().meta({ description: "What homesec may still use of it" }),
    disk_usage_percent: z.number().meta({ description: "0 to 100; what is reserved for the system is neither used nor free" }),
    thumbnails: Files.meta({ description: "Thumbnails that are kept" }),
    images: Files.meta({ description: "The original pictures as the ledger knows them" }),
    database_bytes: z.int().meta({ description: "The database as a whole" }),
    events_count: z.int().meta({ description: "Events that are not deleted" }),
    detections_count: z.int().meta({ description: "Detections" }),
    gpu_stats_count: z.int().meta({ description: "Figures of the graphics card" }),
    logs_count: z.int().meta({ description: "Log files" }),
    timestamp: At,
  })
  .meta({ id: "Storage", description: "What takes up space" });

export const CleanupReport = z
  .object({
    events_deleted: z.int().meta({ description: "Events" }),
    detections_deleted: z.int().meta({ description: "Detections" }),
    gpu_stats_deleted: z.int().meta({ description: "Figures of the graphics card" }),
    logs_deleted: z.int().meta({ description: "Log files" }),
    thumbnails_deleted: z.int().meta({ description: "Thumbnails of deleted detections" }),
    images_deleted: z.int().meta({ description: "Original pictures; they go with DELETE_IMAGES=true only" }),
    space_reclaimed: z.int().meta({ description: "Bytes of the deleted files" }),
    retention_days: z.int().meta({ description: "What is older was deleted" }),
    dry_run: z.boolean().meta({ description: "Nothing was deleted; it would have been" }),
    timestamp: At,
  })
  .meta({ id: "CleanupReport", description: "What was deleted by its age" });

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
