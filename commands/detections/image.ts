import { resolve } from "node:path";
import { recordCommand } from "../command-shapes.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, idOf, text } from "../input/options.ts";
import type { Io } from "../io.ts";
import { extensionOf, type Saved, savedView, saveNew } from "../output/save.ts";
import type { View } from "../output/view.ts";

const view: View<Saved & { readonly detection_id: number }> = {
  ...savedView,
  fields: () => ["detection_id", "file", "media_type", "size_bytes"],
};

export const saveDetectionImage = recordCommand({
  name: "detections image",
  summary: "Save the picture of a detection to a file",
  arguments: { detection_id: idOf("detection", idArgument("Detection id")) },
  options: {
    to: text("file", "Target file, never overwritten (default detection-<id>.<extension>)"),
    thumbnail: flag("Save a small picture with box and label"),
  },
  examples: [
    { command: "homesec detections image 7", note: "saves the original as detection-7.jpg" },
    { command: "homesec detections image 7 --thumbnail --to seen.jpg", note: "a small picture with the box" },
  ],
  view,
  async record(io, { arguments: { detection_id }, options: { to, thumbnail } }) {
    const name = `detection-${detection_id}`;
    return { detection_id, ...(await savePicture(io, { detectionId: detection_id, thumbnail, to, name })) };
  },
});

interface Picture {
  readonly detectionId: number;
  /** The small picture with box and label instead of the original. */
  readonly thumbnail: boolean;
  /** The target file; undefined for `name` with the extension of the picture, in the working folder. */
  readonly to: string | undefined;
  readonly name: string;
}

/** Fetches the picture of a detection from the daemon and saves it as a new file. Throws `Problem("conflict")` if the file exists. */
export async function savePicture(io: Io, { detectionId, thumbnail, to, name }: Picture): Promise<Saved> {
  const operation = thumbnail ? "getDetectionThumbnail" : "getDetectionImage";
  const { mediaType, bytes } = await io.call(operation, { params: { detection_id: detectionId } });
  const file = resolve(io.host.cwd, to ?? `${name}.${extensionOf(mediaType)}`);
  await saveNew(file, bytes);
  return { file, media_type: mediaType, size_bytes: bytes.length };
}
