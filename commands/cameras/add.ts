import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { noteUnread } from "./unread.ts";

export const addCamera = defineCommand({
  name: "cameras add",
  summary: "Add a camera and make its folder",
  description:
    "Adds a camera. Its folder, CAMERA_ROOT/ID unless --folder-path names one that is there, is made when it is missing; let the camera upload its pictures there.",
  arguments: { name: textArgument("What people call it") },
  options: {
    cameraId: text("id", "Id: a-z, 0-9, _ and -; made from the name when left out"),
    folderPath: text("folder", "Where it uploads, absolute or below CAMERA_ROOT; made from the id when left out"),
  },
  examples: [
    { command: "homesec cameras add 'Front door' --camera-id front-door", note: "camera front-door in CAMERA_ROOT/front-door" },
    { command: "homesec cameras add Yard", note: "camera yard in CAMERA_ROOT/yard" },
    { command: "homesec cameras add Garage --camera-id garage --folder-path /srv/ftp/garage", note: "in a folder of its own" },
  ],
  prints: async () => (await import("./view.ts")).cameraView,
  async run({ arguments: { name }, options: { cameraId, folderPath } }, io) {
    const { cameraView } = await import("./view.ts");
    const camera = await io.call("createCamera", { body: { name, camera_id: cameraId, folder_path: folderPath } });
    io.output.note(`camera ${camera.camera_id} added; pictures go into ${camera.folder_path}`);
    await noteUnread(io, camera, folderPath);
    await printRecord(io.output, camera, cameraView);
    return exitCodes.ok;
  },
});
