import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { textArgument } from "../../input/arguments.ts";
import { integer, withDefault } from "../../input/options.ts";
import { printRows } from "../../output/output.ts";

export const baselineAnomalies = defineCommand({
  name: "cameras baseline anomalies",
  summary: "List what was unusual at a camera, newest first",
  arguments: { cameraId: textArgument("Id of the camera") },
  options: { days: withDefault(integer("n", 1, 90, "So many days back"), 7) },
  examples: [
    { command: "homesec cameras baseline anomalies front-door", note: "the last week" },
    { command: "homesec cameras baseline anomalies front-door --days 90 -o csv", note: "for a spreadsheet" },
  ],
  prints: async () => (await import("./views.ts")).anomalyView,
  async run({ arguments: { cameraId }, options: { days } }, io) {
    const { anomalyView } = await import("./views.ts");
    const body = await io.call("listAnomalies", { params: { camera_id: cameraId }, query: { days } });
    await printRows(io.output, body.anomalies, anomalyView, body);
    return exitCodes.ok;
  },
});
