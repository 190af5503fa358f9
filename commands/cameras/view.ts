import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { clockText } from "../../src/monitoring/camera-times/clock-offset.ts";
import { ago, exactly, statePaint } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

export type Camera = ReplyOf<"getCamera">;

/** `auto, Europe/Berlin; the clock is 2 min behind`. */
function timesText({ time_template, time_zone, clock_offset_seconds: offset }: Camera): string {
  const how = `${time_template}, ${time_zone ?? "in the daemon's time zone"}`;
  return offset === null ? how : `${how}; ${clockText(offset)}`;
}

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
    ...(camera.file_pattern === null ? [] : [["files", { text: camera.file_pattern }] as const]),
    ["file times", { text: timesText(camera) }],
    ["created", { text: exactly(terminal, camera.created_at) }],
    ...(camera.deleted_at === null ? [] : [["deleted", { text: exactly(terminal, camera.deleted_at), paint: "yellow" as const }] as const]),
  ],
};
