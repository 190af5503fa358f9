import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { rowsCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import type { RowView } from "../output/view.ts";

type CameraPath = ReplyOf<"validateCameraPaths">["valid_cameras"][number];

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
  description: "Checks the folder of every camera and lists the bad ones first. Exits with 7 if a folder cannot be used.",
  examples: [
    { command: "homesec cameras validate", note: "which folders are missing, unreadable or outside the roots" },
    { command: "homesec cameras validate -o json", note: "as JSON" },
  ],
  view,
  body: (io) => io.call("validateCameraPaths", {}),
  rows: (body) => [...body.invalid_cameras, ...body.valid_cameras],
  after: ({ output }, body) =>
    output.note(`${body.valid_count} of ${body.total_cameras} folders can be used; CAMERA_ROOT is ${body.base_path}`),
  exitCode: (body) => (body.invalid_count === 0 ? exitCodes.ok : exitCodes.findings),
});
