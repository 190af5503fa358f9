import { pluralize } from "../../src/base/text/format.ts";
import { cameraStatuses, settableCameraStatuses } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { type Command, defineCommand } from "../command.ts";
import { actionCommand, recordCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { canAsk } from "../input/dialogue.ts";
import { choice, flag, idOf, rowLimit, text } from "../input/options.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { activeSilences, silencedView } from "../silence/active.ts";
import { baselineCommands } from "./baseline/commands.ts";
import { connectCamera, disconnectCamera, offerConnection } from "./connect.ts";
import { discoverCameras } from "./discover.ts";
import { listGaps } from "./gaps.ts";
import { maskCommands } from "./masks.ts";
import { noteTrouble, noteUnread } from "./notes.ts";
import { parkedOption, parkingOf, parkingView } from "./parked.ts";
import { carryOut, planPull, pullOf, pullOptions, pullView, splitPull } from "./pull.ts";
import { sceneChangeCommands } from "./scene-changes.ts";
import { saveSnapshot } from "./snapshot.ts";
import { testName } from "./test-name.ts";
import { fileOptions, timeOptions } from "./time-options.ts";
import { validateCameras } from "./validate.ts";
import { type Camera, cameraView } from "./view.ts";
import { zoneCommands } from "./zones.ts";

const cameraArgument = { camera_id: idOf("camera", textArgument("Camera id or name")) };

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

const showCamera = recordCommand({
  name: "cameras show",
  summary: "Show one camera",
  arguments: cameraArgument,
  examples: [
    { command: "homesec cameras show front-door", note: "its status, folder, last picture and active silences" },
    { command: "homesec cameras show front-door -o json", note: "the API record" },
  ],
  view: cameraView,
  record: (io, { arguments: params }) => io.call("getCamera", { params }),
  async viewOf(io, camera) {
    const silences = await activeSilences(io, ({ camera_id }) => camera_id === null || camera_id === camera.camera_id);
    const view = parkingView(pullView(cameraView, await pullOf(io, camera)), await parkingOf(io, camera));
    return silencedView(io, view, silences);
  },
  after: (io, camera) => noteTrouble(io, [camera]),
});

const addCamera = recordCommand({
  name: "cameras add",
  summary: "Add a camera and create its folder",
  description:
    "Adds a camera and creates its folder if it does not exist. The folder is CAMERA_ROOT/ID unless --folder-path names another one; let the camera upload its pictures there. On a terminal it asks whether the camera delivers by FTP, mail or HTTP instead, as `homesec cameras connect` does.",
  arguments: { name: textArgument("Display name") },
  options: {
    camera_id: text("id", "Id of a-z, 0-9, _ and - (default from the name)"),
    folder_path: text("folder", "Upload folder, absolute or below CAMERA_ROOT (default the id)"),
    ...pullOptions,
    ...fileOptions,
    ...timeOptions,
  },
  examples: [
    { command: "homesec cameras add 'Front door' --camera-id front-door", note: "camera front-door in CAMERA_ROOT/front-door" },
    { command: "homesec cameras add Yard", note: "camera yard in CAMERA_ROOT/yard" },
    { command: "homesec cameras add Gate --folder-path nvr --file-pattern 'ch01*'", note: "its pictures in the folder of a recorder" },
    { command: "homesec cameras add Garage --camera-id garage --folder-path /srv/ftp/garage", note: "in a custom folder" },
    {
      command: "homesec cameras add Gate --pull http://192.168.1.64/snap.jpg --user viewer --password-file pw.txt",
      note: "fetch pictures",
    },
  ],
  view: cameraView,
  async record(io, { arguments: { name }, options }) {
    const { camera, pull } = splitPull(options);
    const plan = pull && (await planPull(io, pull));
    if (plan && plan.body?.url === undefined) throw new Problem("invalid", "a new camera needs an address to fetch from; give --pull");
    const added = await io.call("createCamera", { body: { name, ...camera } });
    if (plan) await carryOut(io, added, plan);
    return added;
  },
  note: ({ camera_id, folder_path }, { options: { pull } }) =>
    pull === undefined
      ? `camera ${camera_id} added; it uploads to ${folder_path}`
      : `camera ${camera_id} added; homesec fetches its pictures`,
  before: (io, camera, { options }) => noteUnread(io, camera, options.folder_path),
  async after(io, { camera_id }, { options: { pull, folder_path } }) {
    const isOpen = pull === undefined && folder_path === undefined && io.output.format === "table";
    if (isOpen && canAsk(io.host) && !io.global.direct) await offerConnection(io, camera_id);
  },
});

const updateCamera = recordCommand({
  name: "cameras update",
  summary: "Change a camera: name, folder, files, times or status",
  arguments: cameraArgument,
  options: {
    name: text("name", "Display name"),
    folder_path: text("folder", "Upload folder, absolute or below CAMERA_ROOT"),
    status: choice(settableCameraStatuses, "Status until the camera's next picture or timeout"),
    ...parkedOption,
    ...pullOptions,
    ...fileOptions,
    ...timeOptions,
  },
  examples: [
    { command: "homesec cameras update front-door --name 'Front gate'", note: "rename it; the id stays" },
    { command: "homesec cameras update gate --every 5s --threshold 1", note: "fetch fewer pictures and keep fewer" },
    { command: "homesec cameras update front-door --folder-path /srv/ftp/front", note: "read pictures from another folder" },
    { command: "homesec cameras update front-door --time-zone America/New_York", note: "its clock shows the time of New York" },
    { command: "homesec cameras update street --parked off", note: "parked cars open events, too" },
  ],
  view: cameraView,
  async record(io, { arguments: params, options: { parked, ...options } }) {
    const { camera: body, pull } = splitPull(options);
    const isSame = Object.values(body).every((value) => value === undefined);
    if (isSame && !pull && parked === undefined) throw new Problem("invalid", "nothing to change; give at least one option");
    const plan = pull && (await planPull(io, pull));
    const camera = isSame ? await io.call("getCamera", { params }) : await io.call("updateCamera", { params, body });
    if (plan) await carryOut(io, camera, plan);
    if (parked !== undefined) await io.call("setCameraParking", { params, body: { enabled: parked === "on" } });
    return camera;
  },
  note: ({ camera_id }) => `camera ${camera_id} changed`,
  before: (io, camera, { options }) => noteUnread(io, camera, options.folder_path),
});

const removeCamera = actionCommand({
  name: "cameras remove",
  summary: "Remove a camera; it can be restored",
  description:
    "Removes a camera: homesec no longer reads its folder. Its events and pictures stay. It can be restored. With pinned events it asks first.",
  arguments: cameraArgument,
  options: yesOption,
  examples: [{ command: "homesec cameras remove garage", note: "undo with homesec cameras restore garage" }],
  async act(io, { arguments: { camera_id }, options }) {
    const { pagination } = await io.call("listEvents", { query: { camera_id: [camera_id], pinned: true, kind: "all", limit: 1 } });
    const kept = pluralize(pagination.total, "pinned event");
    if (pagination.total > 0) await confirm(io, options, `Camera ${camera_id} has ${kept}, which homesec keeps. Remove the camera?`);
    await io.call("deleteCamera", { params: { camera_id } });
    return `camera ${camera_id} removed; undo with homesec cameras restore ${camera_id}`;
  },
});

const restoreCamera = recordCommand({
  name: "cameras restore",
  summary: "Restore a removed camera",
  description: "Restores a removed camera. homesec then processes the pictures that arrived in the meantime.",
  arguments: { camera_id: idOf("deletedCamera", textArgument("Camera id or name")) },
  examples: [{ command: "homesec cameras restore garage", note: "homesec cameras list --deleted lists removed cameras" }],
  view: cameraView,
  record: (io, { arguments: params }) => io.call("restoreCamera", { params }),
  note: ({ camera_id }) => `camera ${camera_id} restored`,
  before: (io, camera) => noteUnread(io, camera),
});

export const commands: readonly Command[] = [
  listCameras,
  showCamera,
  addCamera,
  updateCamera,
  removeCamera,
  restoreCamera,
  connectCamera,
  disconnectCamera,
  discoverCameras,
  validateCameras,
  testName,
  saveSnapshot,
  listGaps,
  ...baselineCommands,
  ...sceneChangeCommands,
  ...zoneCommands,
  ...maskCommands,
];
