import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, integer, rowLimit, text, time } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { activeSilences, noteSilences } from "../silence/active.ts";

export const listAlerts = defineCommand({
  name: "alerts list",
  summary: "List the alerts, newest first",
  options: {
    status: choice(["pending", "delivered", "acknowledged", "dismissed"], "Only alerts in this state"),
    severity: choice(["low", "medium", "high", "critical"], "Only alerts of this severity"),
    ruleId: text("id", "Only of this rule"),
    cameraId: text("id", "Only of this camera"),
    eventId: integer("id", 1, Number.MAX_SAFE_INTEGER, "Only of this event"),
    startDate: time("Only from this time on"),
    endDate: time("Only up to this time"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec alerts list --status delivered", note: "what somebody has to look at" },
    { command: "homesec alerts list --status pending", note: "what did not go out yet; `homesec alerts show` says why" },
    { command: "homesec alerts list --start-date yesterday --severity critical -o json", note: "for a program" },
  ],
  prints: async () => (await import("./view.ts")).alertView,
  async run({ options }, io) {
    const { alertView } = await import("./view.ts");
    const { status, severity } = options;
    const filter = { status, severity, rule_id: options.ruleId, camera_id: options.cameraId, event_id: options.eventId };
    const range = { start_date: options.startDate, end_date: options.endDate };
    const bodies = pages(options.limit, (page) => io.call("listAlerts", { query: { ...filter, ...range, ...page } }));
    const count = await printList(io.output, bodies, (body) => body.items, alertView);
    if (count === 0) await noteUnknownCameras(io, options.cameraId === undefined ? [] : [options.cameraId]);
    noteSilences(
      io,
      await activeSilences(io, (silence) => {
        const others = (id: string | null, wanted: string | undefined): boolean => id !== null && wanted !== undefined && id !== wanted;
        return !others(silence.camera_id, options.cameraId) && !others(silence.rule_id, options.ruleId);
      }),
    );
    return exitCodes.ok;
  },
});
