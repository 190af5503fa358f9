import type { Reply } from "../../../src/contract/route.ts";
import type { Routes } from "../../../src/contract/routes/index.ts";
import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { idArgument, textArgument } from "../../input/arguments.ts";
import { printRecord } from "../../output/output.ts";
import type { View } from "../../output/view.ts";

const view: View<Reply<Routes["acknowledgeSceneChange"]>> = {
  plural: "changes",
  fields: ["id", "acknowledged", "acknowledged_at"],
  id: (change) => change.id,
  columns: [],
  details: (change) => [["change", { text: `${change.id} acknowledged` }]],
};

export const acknowledgeSceneChange = defineCommand({
  name: "cameras scene-changes ack",
  summary: "Acknowledge a change: the new view is the usual one from now on",
  arguments: { cameraId: textArgument("Id of the camera"), id: idArgument("Id of the change") },
  examples: [{ command: "homesec cameras scene-changes ack front-door 3", note: "it was moved on purpose" }],
  prints: () => view,
  async run({ arguments: { cameraId, id } }, io) {
    const done = await io.call("acknowledgeSceneChange", { params: { camera_id: cameraId, id } });
    io.output.note(`change ${id} acknowledged; this view is the usual one now`);
    await printRecord(io.output, done, view);
    return exitCodes.ok;
  },
});
