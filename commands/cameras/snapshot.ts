import { resolve } from "node:path";
import { recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { idOf, text } from "../input/options.ts";
import { extensionOf, savedView, saveNew } from "../output/save.ts";

export const saveSnapshot = recordCommand({
  name: "cameras snapshot",
  summary: "Save the latest picture of a camera to a file",
  arguments: { camera_id: idOf("camera", textArgument("Camera id or name")) },
  options: { to: text("file", "Target file, never overwritten (default <camera-id>.<extension>)") },
  examples: [
    { command: "homesec cameras snapshot front-door", note: "saves front-door.jpg" },
    { command: "homesec cameras snapshot front-door --to now.jpg", note: "to another file" },
  ],
  view: savedView,
  async record(io, { arguments: { camera_id }, options: { to } }) {
    const { mediaType, bytes } = await io.call("getCameraSnapshot", { params: { camera_id } });
    const file = resolve(io.host.cwd, to ?? `${camera_id}.${extensionOf(mediaType)}`);
    await saveNew(file, bytes);
    return { file, media_type: mediaType, size_bytes: bytes.length };
  },
});
