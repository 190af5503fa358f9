import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { listCommand, recordCommand } from "../command-shapes.ts";
import { idArgument, textArgument } from "../input/arguments.ts";
import { idOf, toggle } from "../input/options.ts";
import { ago } from "../output/terminal-format.ts";
import { fieldsOf, type RowView, type View } from "../output/view.ts";

type SceneChange = ReplyOf<"listSceneChanges">["scene_changes"][number];

export const sceneChangeView: RowView<SceneChange> = {
  plural: "scene changes",
  fields: fieldsOf("listSceneChanges", "scene_changes"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", align: "right", keep: true, cell: ({ id }) => ({ text: String(id) }) },
    { title: "WHEN", keep: true, cell: ({ detected_at }, terminal) => ({ text: ago(terminal, detected_at) }) },
    { title: "CHANGE", keep: true, cell: ({ change_type }) => ({ text: change_type.replaceAll("_", " ") }) },
    { title: "SIMILARITY", align: "right", cell: ({ similarity_score }) => ({ text: `${Math.round(similarity_score * 100)} %` }) },
    {
      title: "STATE",
      cell: ({ acknowledged }) => (acknowledged ? { text: "acknowledged", paint: "green" } : { text: "new", paint: "red" }),
    },
    { title: "PICTURE", cell: ({ file_path }) => ({ text: file_path ?? "" }) },
  ],
};

const acknowledgedView: View<ReplyOf<"acknowledgeSceneChange">> = {
  plural: "scene changes",
  fields: fieldsOf("acknowledgeSceneChange"),
  id: (change) => change.id,
  columns: [],
  details: (change) => [["scene change", { text: `${change.id} acknowledged` }]],
};

export const sceneChangeCommands: readonly Command[] = [
  listCommand({
    name: "cameras scene-changes list",
    summary: "List scene changes of a camera, newest first",
    arguments: { camera_id: idOf("camera", textArgument("Camera id or name")) },
    options: { acknowledged: toggle("Only acknowledged changes; --no-acknowledged for the others") },
    examples: [
      { command: "homesec cameras scene-changes list front-door --no-acknowledged", note: "was the camera moved, blocked or blurred?" },
    ],
    view: sceneChangeView,
    async page(io, { arguments: params, options }, page) {
      const body = await io.call("listSceneChanges", { params, query: { ...options, ...page } });
      const { total_changes: total, next_cursor, has_more } = body;
      return { body, pagination: { total, limit: page.limit, offset: 0, next_cursor, has_more } };
    },
    rows: ({ body }) => body.scene_changes,
    bodyOf: (all) => ({ ...all.at(-1)?.body, scene_changes: all.flatMap(({ body }) => body.scene_changes) }),
  }),
  recordCommand({
    name: "cameras scene-changes ack",
    summary: "Acknowledge a scene change and accept the new view",
    arguments: { camera_id: idOf("camera", textArgument("Camera id or name")), id: idArgument("Scene change id") },
    examples: [{ command: "homesec cameras scene-changes ack front-door 3", note: "the camera was moved on purpose" }],
    view: acknowledgedView,
    record: (io, { arguments: params }) => io.call("acknowledgeSceneChange", { params }),
    note: ({ id }) => `scene change ${id} acknowledged; homesec now compares with the new view`,
  }),
];
