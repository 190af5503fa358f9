import { cameraStatuses, settableCameraStatuses } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { type Command, defineCommand } from "../command.ts";
import { actionCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { choice, flag, rowLimit, text } from "../input/options.ts";
import { printList, printRecord } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { activeSilences, silencedView } from "../silence/active.ts";
import { baselineCommands } from "./baseline/commands.ts";
import { noteTrouble, noteUnread } from "./notes.ts";
import { sceneChangeCommands } from "./scene-changes.ts";
import { saveSnapshot } from "./snapshot.ts";
import { validateCameras } from "./validate.ts";
import { type Camera, cameraView } from "./view.ts";

const cameraId = textArgument("Camera id");

const listCameras = defineCommand({
  name: "cameras list",
  summary: "List the cameras",
  options: {
    status: choice(cameraStatuses, "Only cameras with this status"),
    deleted: flag("Only deleted cameras, which can be restored"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec cameras list", note: "all cameras with the time of their last picture" },
    { command: "homesec cameras list --status offline -o id", note: "ids of offline cameras, one per line" },
    { command: "homesec cameras list --deleted", note: "cameras that `homesec cameras restore` can bring back" },
  ],
  prints: () => cameraView,
  async run({ options: { status, deleted, limit } }, io) {
    if (deleted) {
      if (status !== undefined) throw new Problem("invalid", "--deleted lists all deleted cameras; remove --status");
      const bodies = pages(limit, (page) => io.call("listDeletedCameras", { query: page }));
      await printList(io.output, bodies, (body) => body.items, { ...cameraView, plural: "deleted cameras" });
    } else {
      const bodies = pages(limit, (page) => io.call("listCameras", { query: { status, ...page } }));
      const shown: Camera[] = [];
      const rowsOf = ({ cameras }: { readonly cameras: readonly Camera[] }) => {
        shown.push(...cameras);
        return cameras;
      };
      await printList(io.output, bodies, rowsOf, cameraView);
      noteTrouble(io, shown);
    }
    return exitCodes.ok;
  },
});

const showCamera = defineCommand({
  name: "cameras show",
  summary: "Show one camera",
  arguments: { cameraId },
  examples: [
    { command: "homesec cameras show front-door", note: "its status, folder, last picture and active silences" },
    { command: "homesec cameras show front-door -o json", note: "the API record" },
  ],
  prints: () => cameraView,
  async run({ arguments: { cameraId } }, io) {
    const camera = await io.call("getCamera", { params: { camera_id: cameraId } });
    const silences = await activeSilences(io, (each) => each.camera_id === null || each.camera_id === cameraId);
    await printRecord(io.output, camera, silencedView(io, cameraView, silences));
    noteTrouble(io, [camera]);
    return exitCodes.ok;
  },
});

const addCamera = defineCommand({
  name: "cameras add",
  summary: "Add a camera and create its folder",
  description:
    "Adds a camera and creates its folder if it does not exist. The folder is CAMERA_ROOT/ID unless --folder-path names another one; let the camera upload its pictures there.",
  arguments: { name: textArgument("Display name") },
  options: {
    cameraId: text("id", "Id of a-z, 0-9, _ and - (default from the name)"),
    folderPath: text("folder", "Upload folder, absolute or below CAMERA_ROOT (default the id)"),
  },
  examples: [
    { command: "homesec cameras add 'Front door' --camera-id front-door", note: "camera front-door in CAMERA_ROOT/front-door" },
    { command: "homesec cameras add Yard", note: "camera yard in CAMERA_ROOT/yard" },
    { command: "homesec cameras add Garage --camera-id garage --folder-path /srv/ftp/garage", note: "in a custom folder" },
  ],
  prints: () => cameraView,
  async run({ arguments: { name }, options: { cameraId, folderPath } }, io) {
    const camera = await io.call("createCamera", { body: { name, camera_id: cameraId, folder_path: folderPath } });
    io.output.note(`camera ${camera.camera_id} added; it uploads to ${camera.folder_path}`);
    await noteUnread(io, camera, folderPath);
    await printRecord(io.output, camera, cameraView);
    return exitCodes.ok;
  },
});

const updateCamera = defineCommand({
  name: "cameras update",
  summary: "Change name, folder or status of a camera",
  arguments: { cameraId },
  options: {
    name: text("name", "Display name"),
    folderPath: text("folder", "Upload folder, absolute or below CAMERA_ROOT"),
    status: choice(settableCameraStatuses, "Status until the camera's next picture or timeout"),
  },
  examples: [
    { command: "homesec cameras update front-door --name 'Front gate'", note: "rename it; the id stays" },
    { command: "homesec cameras update front-door --folder-path /srv/ftp/front", note: "read pictures from another folder" },
  ],
  prints: () => cameraView,
  async run({ arguments: { cameraId }, options: { name, folderPath, status } }, io) {
    if (name === undefined && folderPath === undefined && status === undefined) {
      throw new Problem("invalid", "nothing to change; give --name, --folder-path or --status");
    }
    const body = { name, folder_path: folderPath, status };
    const camera = await io.call("updateCamera", { params: { camera_id: cameraId }, body });
    io.output.note(`camera ${camera.camera_id} changed`);
    await noteUnread(io, camera, folderPath);
    await printRecord(io.output, camera, cameraView);
    return exitCodes.ok;
  },
});

const removeCamera = actionCommand({
  name: "cameras remove",
  summary: "Remove a camera; it can be restored",
  description: "Removes a camera: homesec no longer reads its folder. Its events and pictures stay. It can be restored.",
  arguments: { cameraId },
  examples: [{ command: "homesec cameras remove garage", note: "undo with homesec cameras restore garage" }],
  async act(io, { arguments: { cameraId } }) {
    await io.call("deleteCamera", { params: { camera_id: cameraId } });
    return `camera ${cameraId} removed; undo with homesec cameras restore ${cameraId}`;
  },
});

const restoreCamera = defineCommand({
  name: "cameras restore",
  summary: "Restore a removed camera",
  description: "Restores a removed camera. homesec then processes the pictures that arrived in the meantime.",
  arguments: { cameraId },
  examples: [{ command: "homesec cameras restore garage", note: "homesec cameras list --deleted lists removed cameras" }],
  prints: () => cameraView,
  async run({ arguments: { cameraId } }, io) {
    const camera = await io.call("restoreCamera", { params: { camera_id: cameraId } });
    io.output.note(`camera ${camera.camera_id} restored`);
    await noteUnread(io, camera);
    await printRecord(io.output, camera, cameraView);
    return exitCodes.ok;
  },
});

export const commands: readonly Command[] = [
  listCameras,
  showCamera,
  addCamera,
  updateCamera,
  removeCamera,
  restoreCamera,
  validateCameras,
  saveSnapshot,
  ...baselineCommands,
  ...sceneChangeCommands,
];
