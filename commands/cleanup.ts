import type { ReplyOf } from "../src/contract/routes/index.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { confirm, yesOption } from "./input/confirm.ts";
import { flag } from "./input/options.ts";
import { sizeText } from "./output/terminal-format.ts";
import { fieldsOf, type View } from "./output/view.ts";
import { sharesTable } from "./retention/view.ts";

export const cleanupView: View<ReplyOf<"cleanUp">> = {
  plural: "cleanups",
  fields: fieldsOf("cleanUp"),
  id: ({ timestamp }) => timestamp.toISOString(),
  columns: [],
  details: (report) => [
    [report.dry_run ? "would delete" : "deleted", { text: `data older than ${report.retention_days} days`, paint: "bold" }],
    ["events", { text: String(report.events_deleted) }],
    ["detections", { text: String(report.detections_deleted) }],
    ["thumbnails", { text: String(report.thumbnails_deleted) }],
    ["pictures", { text: String(report.images_deleted) }],
    ["log files", { text: String(report.logs_deleted) }],
    ["GPU measurements", { text: String(report.gpu_stats_deleted) }],
    ["disk space", { text: sizeText(report.space_reclaimed) }],
  ],
  more: sharesTable,
};

export const cleanup = defineCommand({
  name: "cleanup",
  summary: "Delete data older than the retention period",
  description:
    "Deletes events and detections older than RETENTION_DAYS with everything that belongs to them, and old log files; retention rules and pins come first. A dry run counts by rule. The daemon does the same every night at 3. Original pictures are only deleted with DELETE_IMAGES=true.",
  options: { dry_run: flag("Show what would be deleted"), ...yesOption },
  examples: [
    { command: "homesec cleanup --dry-run", note: "what would be deleted" },
    { command: "homesec cleanup", note: "asks for confirmation" },
    { command: "homesec cleanup --yes", note: "in a script" },
  ],
  prints: () => cleanupView,
  async run({ options: { dry_run, yes } }, io) {
    if (!dry_run) await confirm(io, { yes }, "Delete all data older than the retention period?");
    const { printRecord } = await import("./output/output.ts");
    await printRecord(io.output, await io.call("cleanUp", { query: { dry_run } }), cleanupView);
    return exitCodes.ok;
  },
});
