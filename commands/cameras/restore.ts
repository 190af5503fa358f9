import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";
import { noteUnread } from "./unread.ts";

export const restoreCamera = defineCommand({
  name: "cameras restore",
  summary: "Bring a removed camera back",
  description: "Brings a removed camera back. Pictures that arrived meanwhile are read now.",
  arguments: { cameraId: textArgument("Id of the camera") },
  examples: [{ command: "homesec cameras restore garage", note: "homesec cameras list --deleted names what can be restored" }],
  prints: async () => (await import("./view.ts")).cameraView,
  async run({ arguments: { cameraId } }, io) {
    const { cameraView } = await import("./view.ts");
    const camera = await io.call("restoreCamera", { params: { camera_id: cameraId } });
    io.output.note(`camera ${camera.camera_id} restored`);
    await noteUnread(io, camera);
    await printRecord(io.output, camera, cameraView);
    return exitCodes.ok;
  },
});
