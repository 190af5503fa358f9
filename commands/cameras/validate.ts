import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";
import type { RowView } from "../output/view.ts";

type CameraPath = Reply<Routes["validateCameraPaths"]>["valid_cameras"][number];

const view: RowView<CameraPath> = {
  plural: "cameras",
  fields: ["camera_id", "name", "folder_path", "resolved_path", "issues"],
  id: ({ camera_id }) => camera_id,
  columns: [
    { title: "CAMERA", keep: true, cell: ({ camera_id }) => ({ text: camera_id }) },
    { title: "FOLDER", cell: ({ folder_path }) => ({ text: folder_path }) },
    {
      title: "FINDING",
      cell: ({ issues }) => (issues.length === 0 ? { text: "good", paint: "green" } : { text: issues.join("; "), paint: "red" }),
    },
  ],
};

export const validateCameras = defineCommand({
  name: "cameras validate",
  summary: "Look whether the folders of the cameras can be read",
  description: "Looks at the folder of every camera, the bad ones first. The exit code is 7 when one cannot be used.",
  examples: [
    { command: "homesec cameras validate", note: "which folders are missing, unreadable or outside of the roots" },
    { command: "homesec cameras validate -o json", note: "for a program" },
  ],
  prints: () => view,
  async run(_, io) {
    const body = await io.call("validateCameraPaths", {});
    await printRows(io.output, [...body.invalid_cameras, ...body.valid_cameras], view, body);
    io.output.note(`${body.valid_count} of ${body.total_cameras} folders can be used; CAMERA_ROOT is ${body.base_path}`);
    return body.invalid_count === 0 ? exitCodes.ok : exitCodes.findings;
  },
});
