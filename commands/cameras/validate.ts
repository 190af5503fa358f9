import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { mayHidePictures, passedOverCount, passedOverText } from "../../src/monitoring/cameras/passed-over.ts";
import { rowsCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { plain } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";

type CameraPath = ReplyOf<"validateCameraPaths">["valid_cameras"][number];
type Entry = NonNullable<ReplyOf<"getPipeline">["file_watcher"]["passed_over"]>[number];

const view: RowView<CameraPath> = {
  plural: "cameras",
  fields: () => ["camera_id", "name", "folder_path", "resolved_path", "issues"],
  id: ({ camera_id }) => camera_id,
  columns: [
    { title: "CAMERA", keep: true, cell: ({ camera_id }) => ({ text: camera_id }) },
    { title: "FOLDER", cell: ({ folder_path }) => ({ text: folder_path }) },
    {
      title: "RESULT",
      cell: ({ issues }) => (issues.length === 0 ? { text: "ok", paint: "green" } : { text: issues.join("; "), paint: "red" }),
    },
  ],
};

export const validateCameras = rowsCommand({
  name: "cameras validate",
  summary: "Check that the camera folders can be read",
  description:
    "Checks the folder of every camera and lists the bad ones first, then whatever else below CAMERA_ROOT the running daemon does not read. Exits with 7 if a folder cannot be used or may hide pictures.",
  examples: [
    { command: "homesec cameras validate", note: "which folders are missing, unreadable or outside the roots" },
    { command: "homesec cameras validate -o json", note: "as JSON" },
  ],
  view,
  body: async (io) => ({ ...(await io.call("validateCameraPaths", {})), passed_over: await passedOverBy(io) }),
  rows: (body) => [...body.invalid_cameras, ...body.valid_cameras],
  after: ({ output }, body) => {
    output.note(`${body.valid_count} of ${body.total_cameras} folders can be used; CAMERA_ROOT is ${body.base_path}`);
    const { passed_over: passedOver } = body;
    for (const entry of passedOver.filter(isOfNoCamera)) output.note(`not read: ${plain(passedOverText(entry))}`);
    for (const entry of passedOver.filter((entry) => !mayHidePictures(entry)))
      output.note(`${entry.camera_id ?? "no camera"}: ${plain(passedOverCount(entry))}`);
  },
  exitCode: (body) => (body.invalid_count === 0 && !body.passed_over.some(isOfNoCamera) ? exitCodes.ok : exitCodes.findings),
});

/** What the running daemon does not read. Without one, as with --direct, nothing is known. */
async function passedOverBy(io: Io): Promise<readonly Entry[]> {
  if (io.global.direct) return [];
  try {
    const { file_watcher } = await io.call("getPipeline", {});
    return file_watcher.passed_over ?? [];
  } catch {
    // The folders are checked without it
    return [];
  }
}

/** The issues of the cameras contain the others. */
const isOfNoCamera = (entry: Entry): boolean => entry.camera_id === null && mayHidePictures(entry);
