import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";
import { activeSilences, silencedView } from "../silence/active.ts";
import { noteTrouble } from "./trouble.ts";

export const showCamera = defineCommand({
  name: "cameras show",
  summary: "Show one camera",
  arguments: { cameraId: textArgument("Id of the camera") },
  examples: [
    { command: "homesec cameras show front-door", note: "its state, folder and last picture, and whether its alerts are silenced" },
    { command: "homesec cameras show front-door -o json", note: "the record as the API has it" },
  ],
  prints: async () => (await import("./view.ts")).cameraView,
  async run({ arguments: { cameraId } }, io) {
    const { cameraView } = await import("./view.ts");
    const camera = await io.call("getCamera", { params: { camera_id: cameraId } });
    const silences = await activeSilences(io, (each) => each.camera_id === null || each.camera_id === cameraId);
    await printRecord(io.output, camera, silencedView(io, cameraView, silences));
    noteTrouble(io, [camera]);
    return exitCodes.ok;
  },
});
