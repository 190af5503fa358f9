import type { Reply } from "../src/contract/route.ts";
import type { Routes } from "../src/contract/routes/index.ts";
import { sizeText } from "./output/terminal-format.ts";
import type { View } from "./output/view.ts";

type Report = Reply<Routes["cleanUp"]>;

export const cleanupView: View<Report> = {
  plural: "cleanups",
  fields: [
    "events_deleted",
    "detections_deleted",
    "gpu_stats_deleted",
    "logs_deleted",
    "thumbnails_deleted",
    "images_deleted",
    "space_reclaimed",
    "retention_days",
    "dry_run",
    "timestamp",
  ],
  id: ({ timestamp }) => timestamp.toISOString(),
  columns: [],
  details: (report) => [
    [report.dry_run ? "would delete" : "deleted", { text: `what is older than ${report.retention_days} days`, paint: "bold" }],
    ["events", { text: String(report.events_deleted) }],
    ["detections", { text: String(report.detections_deleted) }],
    ["thumbnails", { text: String(report.thumbnails_deleted) }],
    ["pictures", { text: String(report.images_deleted) }],
    ["log files", { text: String(report.logs_deleted) }],
    ["gpu figures", { text: String(report.gpu_stats_deleted) }],
    ["disk space", { text: sizeText(report.space_reclaimed) }],
  ],
};
