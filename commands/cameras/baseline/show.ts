import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { textArgument } from "../../input/arguments.ts";
import { printRecord } from "../../output/output.ts";

export const showBaseline = defineCommand({
  name: "cameras baseline show",
  summary: "Show what is usual at a camera, and how unusual this hour is",
  arguments: { cameraId: textArgument("Id of the camera") },
  examples: [
    {
      command: "homesec cameras baseline show front-door",
      note: "detections per hour, by class and hour of the day (the daemon's time zone)",
    },
  ],
  prints: async () => (await import("./views.ts")).baselineView,
  async run({ arguments: { cameraId } }, io) {
    const { baselineView } = await import("./views.ts");
    await printRecord(io.output, await io.call("getBaseline", { params: { camera_id: cameraId } }), baselineView);
    return exitCodes.ok;
  },
});
