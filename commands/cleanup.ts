import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { confirm, yesOption } from "./input/confirm.ts";
import { flag } from "./input/options.ts";

export const cleanup = defineCommand({
  name: "cleanup",
  summary: "Delete now what is older than the retention",
  description:
    "Deletes events and detections older than RETENTION_DAYS with what belongs to them, and old log files. This is also done every night at 3. Original pictures go with DELETE_IMAGES=true only.",
  options: { dryRun: flag("Only tell what would be deleted"), ...yesOption },
  examples: [
    { command: "homesec cleanup --dry-run", note: "what would go" },
    { command: "homesec cleanup", note: "delete it, after a question" },
    { command: "homesec cleanup --yes", note: "in a script" },
  ],
  prints: async () => (await import("./cleanup-view.ts")).cleanupView,
  async run({ options: { dryRun, yes } }, io) {
    if (!dryRun) await confirm(io, { yes }, "Delete what is older than the retention?");
    const [{ printRecord }, { cleanupView }] = await Promise.all([import("./output/output.ts"), import("./cleanup-view.ts")]);
    const report = await io.call("cleanUp", { query: { dry_run: dryRun } });
    await printRecord(io.output, report, cleanupView);
    return exitCodes.ok;
  },
});
