import type { Reply } from "../../../src/contract/route.ts";
import type { Routes } from "../../../src/contract/routes/index.ts";
import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { textArgument } from "../../input/arguments.ts";
import { rowLimit, toggle } from "../../input/options.ts";
import { printList } from "../../output/output.ts";
import { pages } from "../../output/pages.ts";
import { ago } from "../../output/terminal-format.ts";
import type { RowView } from "../../output/view.ts";

type SceneChange = Reply<Routes["listSceneChanges"]>["scene_changes"][number];

export const sceneChangeView: RowView<SceneChange> = {
  plural: "scene changes",
  fields: ["id", "camera_id", "detected_at", "change_type", "similarity_score", "acknowledged", "acknowledged_at", "file_path"],
  id: ({ id }) => id,
  columns: [
    { title: "ID", align: "right", keep: true, cell: ({ id }) => ({ text: String(id) }) },
    { title: "WHEN", keep: true, cell: ({ detected_at }, terminal) => ({ text: ago(terminal, detected_at) }) },
    { title: "CHANGE", keep: true, cell: ({ change_type }) => ({ text: change_type.replaceAll("_", " ") }) },
    { title: "SIMILAR", align: "right", cell: ({ similarity_score }) => ({ text: `${Math.round(similarity_score * 100)} %` }) },
    {
      title: "STATE",
      cell: ({ acknowledged }) => (acknowledged ? { text: "acknowledged", paint: "green" } : { text: "new", paint: "red" }),
    },
    { title: "PICTURE", cell: ({ file_path }) => ({ text: file_path ?? "" }) },
  ],
};

export const listSceneChanges = defineCommand({
  name: "cameras scene-changes list",
  summary: "List the changes of a camera's view, newest first",
  arguments: { cameraId: textArgument("Id of the camera") },
  options: {
    acknowledged: toggle("Only those that somebody acknowledged; --no-acknowledged only the others"),
    limit: rowLimit(50),
  },
  examples: [{ command: "homesec cameras scene-changes list front-door --no-acknowledged", note: "was it moved, blocked or blurred?" }],
  prints: () => sceneChangeView,
  async run({ arguments: { cameraId }, options: { acknowledged, limit } }, io) {
    const bodies = pages(limit, async (page) => {
      const body = await io.call("listSceneChanges", { params: { camera_id: cameraId }, query: { acknowledged, ...page } });
      const { total_changes: total, next_cursor, has_more } = body;
      return { body, pagination: { total, limit: page.limit, offset: 0, next_cursor, has_more } };
    });
    await printList(
      io.output,
      bodies,
      ({ body }) => body.scene_changes,
      sceneChangeView,
      (all) => {
        const last = all.at(-1)?.body;
        return { ...last, scene_changes: all.flatMap(({ body }) => body.scene_changes) };
      },
    );
    return exitCodes.ok;
  },
});
