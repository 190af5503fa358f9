import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const showDetection = defineCommand({
  name: "detections show",
  summary: "Show one detection",
  arguments: { detectionId: idArgument("Id of the detection") },
  examples: [{ command: "homesec detections show 7", note: "what was seen, where in which picture" }],
  prints: async () => (await import("./view.ts")).detectionView,
  async run({ arguments: { detectionId } }, io) {
    const { detectionView } = await import("./view.ts");
    await printRecord(io.output, await io.call("getDetection", { params: { detection_id: detectionId } }), detectionView);
    return exitCodes.ok;
  },
});
