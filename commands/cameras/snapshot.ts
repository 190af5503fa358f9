import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { saveNew } from "../output/save.ts";
import { extensionOf, savedView } from "../output/saved.ts";

export const saveSnapshot = defineCommand({
  name: "cameras snapshot",
  summary: "Save the newest picture of a camera in a file",
  arguments: { cameraId: textArgument("Id of the camera") },
  options: { to: text("file", "Where to save it, instead of <camera-id> in this folder; a file that is there already stays as it is") },
  examples: [
    { command: "homesec cameras snapshot front-door", note: "as front-door.jpg" },
    { command: "homesec cameras snapshot front-door --to now.jpg", note: "under another name" },
  ],
  prints: () => savedView,
  async run({ arguments: { cameraId }, options: { to } }, io) {
    const { mediaType, bytes } = await io.call("getCameraSnapshot", { params: { camera_id: cameraId } });
    const file = resolve(io.host.cwd, to ?? `${cameraId}.${extensionOf(mediaType)}`);
    await saveNew(file, bytes);
    await printRecord(io.output, { file, media_type: mediaType, size_bytes: bytes.length }, savedView);
    return exitCodes.ok;
  },
});
