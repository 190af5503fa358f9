import type { Reply } from "../../../src/contract/route.ts";
import type { Routes } from "../../../src/contract/routes/index.ts";
import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { textArgument } from "../../input/arguments.ts";
import { confirm, yesOption } from "../../input/confirm.ts";
import { printRecord } from "../../output/output.ts";
import type { View } from "../../output/view.ts";

const view: View<Reply<Routes["resetBaseline"]>> = {
  plural: "resets",
  fields: ["activity_baselines_deleted", "class_baselines_deleted"],
  id: () => "",
  columns: [],
  details: (counts) => [
    ["hours forgotten", { text: String(counts.activity_baselines_deleted) }],
    ["hours of classes", { text: String(counts.class_baselines_deleted) }],
  ],
};

export const resetBaseline = defineCommand({
  name: "cameras baseline reset",
  summary: "Forget what is usual at a camera, to learn it anew",
  description: "Deletes all that was learned of what is usual at a camera. It is learned anew from new detections.",
  arguments: { cameraId: textArgument("Id of the camera") },
  options: yesOption,
  examples: [
    { command: "homesec cameras baseline reset front-door", note: "after the camera was moved; asks first" },
    { command: "homesec cameras baseline reset front-door --yes", note: "in a script" },
  ],
  prints: () => view,
  async run({ arguments: { cameraId }, options }, io) {
    await io.call("getCamera", { params: { camera_id: cameraId } });
    await confirm(io, options, `Forget what is usual at ${cameraId}? It cannot be brought back.`);
    const deleted = await io.call("resetBaseline", { params: { camera_id: cameraId } });
    await printRecord(io.output, deleted, { ...view, id: () => cameraId });
    return exitCodes.ok;
  },
});
