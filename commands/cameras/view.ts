import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly, statePaint } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

export type Camera = ReplyOf<"getCamera">;

export const cameraView: View<Camera> = {
  plural: "cameras",
  fields: fieldsOf("getCamera"),
  id: (camera) => camera.camera_id,
  columns: [
    { title: "CAMERA", keep: true, cell: (camera) => ({ text: camera.camera_id }) },
    { title: "NAME", cell: (camera) => ({ text: camera.name }) },
    { title: "STATUS", keep: true, cell: (camera) => ({ text: camera.status, paint: statePaint(camera.status) }) },
    { title: "LAST PICTURE", keep: true, cell: (camera, terminal) => ({ text: ago(terminal, camera.last_seen_at) }) },
    { title: "FOLDER", cell: (camera) => ({ text: camera.folder_path }) },
  ],
  details: (camera, terminal) => [
    ["camera", { text: camera.camera_id, paint: "bold" }],
    ["name", { text: camera.name }],
    ["status", { text: camera.status, paint: statePaint(camera.status) }],
    ["last picture", { text: exactly(terminal, camera.last_seen_at) }],
    ["folder", { text: camera.folder_path }],
    ["created", { text: exactly(terminal, camera.created_at) }],
    ...(camera.deleted_at === null ? [] : [["deleted", { text: exactly(terminal, camera.deleted_at), paint: "yellow" as const }] as const]),
  ],
};
