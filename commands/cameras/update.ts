import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { choice, text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { noteUnread } from "./unread.ts";

export const updateCamera = defineCommand({
  name: "cameras update",
  summary: "Change name, folder or state of a camera",
  arguments: { cameraId: textArgument("Id of the camera") },
  options: {
    name: text("name", "What people call it"),
    folderPath: text("folder", "Where it uploads, absolute or below CAMERA_ROOT"),
    status: choice(["online", "offline"], "Its state, until the next picture or silence changes it"),
  },
  examples: [
    { command: "homesec cameras update front-door --name 'Front gate'", note: "the id stays" },
    { command: "homesec cameras update front-door --folder-path /srv/ftp/front", note: "read pictures from another folder" },
  ],
  prints: async () => (await import("./view.ts")).cameraView,
  async run({ arguments: { cameraId }, options: { name, folderPath, status } }, io) {
    if (name === undefined && folderPath === undefined && status === undefined) {
      throw new Problem("invalid", "nothing to change; give --name, --folder-path or --status");
    }
    const { cameraView } = await import("./view.ts");
    const body = { name, folder_path: folderPath, status };
    const camera = await io.call("updateCamera", { params: { camera_id: cameraId }, body });
    io.output.note(`camera ${camera.camera_id} changed`);
    await noteUnread(io, camera, folderPath);
    await printRecord(io.output, camera, cameraView);
    return exitCodes.ok;
  },
});
