import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";

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
  async run({ arguments: { detectionId }, options }, io) {
    const operation = options.thumbnail ? "getDetectionThumbnail" : "getDetectionImage";
    const { mediaType, bytes } = await io.call(operation, { params: { detection_id: detectionId } });
    const extension = { "image/png": "png", "image/webp": "webp" }[mediaType] ?? "jpg";
    const file = resolve(io.host.cwd, options.to ?? `detection-${detectionId}.${extension}`);
    await saveNew(file, bytes);
    await printRecord(
      io.output,
      { detection_id: detectionId, file, media_type: mediaType, size_bytes: bytes.length },
      {
        plural: "pictures",
        fields: ["detection_id", "file", "media_type", "size_bytes"],
        id: (saved) => saved.file,
        columns: [],
        details: (saved) => [["saved", { text: `${saved.file} (${saved.size_bytes} bytes)` }]],
      },
    );
    return exitCodes.ok;
  },
});

async function saveNew(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: "wx" });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EEXIST") throw new Problem("conflict", `${file} is there already; choose another name with --to`, { cause });
    throw new Problem("invalid", `${file} cannot be written: ${code}; choose another place with --to`, { cause });
  }
}
