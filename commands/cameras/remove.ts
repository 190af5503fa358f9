import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";

export const removeCamera = defineCommand({
  name: "cameras remove",
  summary: "Remove a camera; it can be restored",
  description: "Removes a camera: its folder is no longer read. Its events stay, and so do its pictures. It can be restored.",
  arguments: { cameraId: textArgument("Id of the camera") },
  examples: [{ command: "homesec cameras remove garage", note: "undone by homesec cameras restore garage" }],
  async run({ arguments: { cameraId } }, io) {
    await io.call("deleteCamera", { params: { camera_id: cameraId } });
    io.output.note(`camera ${cameraId} removed; homesec cameras restore ${cameraId} brings it back`);
    return exitCodes.ok;
  },
});
