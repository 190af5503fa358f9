import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const showEntity = defineCommand({
  name: "entities show",
  summary: "Show one entity, which cameras saw it and when",
  arguments: { entityId: textArgument("Id of the entity") },
  examples: [{ command: "homesec entities show 3f0c7a52-8f0e-4a35-9d0b-6a8f0f6f5f11", note: "where it was, and its newest detections" }],
  prints: async () => (await import("./view.ts")).entityDetailsView,
  async run({ arguments: { entityId } }, io) {
    const { entityDetailsView } = await import("./view.ts");
    await printRecord(io.output, await io.call("getEntity", { params: { entity_id: entityId } }), entityDetailsView);
    return exitCodes.ok;
  },
});
