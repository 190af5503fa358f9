import { resolve } from "node:path";
import { recordCommand } from "../command-shapes.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, text } from "../input/options.ts";
import { extensionOf, type Saved, savedView, saveNew } from "../output/save.ts";
import type { View } from "../output/view.ts";

const view: View<Saved & { readonly detection_id: number }> = {
  ...savedView,
  fields: () => ["detection_id", "file", "media_type", "size_bytes"],
};

export const saveDetectionImage = recordCommand({
  name: "detections image",
  summary: "Save the picture of a detection to a file",
  arguments: { detection_id: idArgument("Detection id") },
  options: {
    to: text("file", "Target file, never overwritten (default detection-<id>.<extension>)"),
    thumbnail: flag("Save a small picture with box and label"),
  },
  examples: [
    { command: "homesec detections image 7", note: "saves the original as detection-7.jpg" },
    { command: "homesec detections image 7 --thumbnail --to seen.jpg", note: "a small picture with the box" },
  ],
  view,
  async record(io, { arguments: { detection_id }, options }) {
    const operation = options.thumbnail ? "getDetectionThumbnail" : "getDetectionImage";
    const { mediaType, bytes } = await io.call(operation, { params: { detection_id } });
    const file = resolve(io.host.cwd, options.to ?? `detection-${detection_id}.${extensionOf(mediaType)}`);
    await saveNew(file, bytes);
    return { detection_id, file, media_type: mediaType, size_bytes: bytes.length };
  },
});
