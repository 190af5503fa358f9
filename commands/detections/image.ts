import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { saveNew } from "../output/save.ts";
import { extensionOf, type Saved, savedView } from "../output/saved.ts";
import type { View } from "../output/view.ts";

const view: View<Saved & { readonly detection_id: number }> = { ...savedView, fields: ["detection_id", ...savedView.fields] };

export const saveDetectionImage = defineCommand({
  name: "detections image",
  summary: "Save the picture of a detection in a file",
  arguments: { detectionId: idArgument("Id of the detection") },
  options: {
    to: text("file", "Where to save it, instead of detection-<id> in this folder; a file that is there already stays as it is"),
    thumbnail: flag("A small picture with box and label, instead of the original"),
  },
  examples: [
    { command: "homesec detections image 7", note: "the original, as detection-7.jpg" },
    { command: "homesec detections image 7 --thumbnail --to seen.jpg", note: "small, with the box drawn" },
  ],
  prints: () => view,
  async run({ arguments: { detectionId }, options }, io) {
    const operation = options.thumbnail ? "getDetectionThumbnail" : "getDetectionImage";
    const { mediaType, bytes } = await io.call(operation, { params: { detection_id: detectionId } });
    const file = resolve(io.host.cwd, options.to ?? `detection-${detectionId}.${extensionOf(mediaType)}`);
    await saveNew(file, bytes);
    await printRecord(io.output, { detection_id: detectionId, file, media_type: mediaType, size_bytes: bytes.length }, view);
    return exitCodes.ok;
  },
});
