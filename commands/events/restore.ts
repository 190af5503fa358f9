import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const restoreEvent = defineCommand({
  name: "events restore",
  summary: "Bring a deleted event back",
  arguments: { eventId: idArgument("Id of the event") },
  examples: [{ command: "homesec events restore 42", note: "homesec events list --deleted names what can be restored" }],
  prints: async () => (await import("./view.ts")).eventWithDetectionsView,
  async run({ arguments: { eventId } }, io) {
    const { eventWithDetectionsView } = await import("./view.ts");
    const event = await io.call("restoreEvent", { params: { event_id: eventId } });
    io.output.note(`event ${eventId} restored`);
    await printRecord(io.output, event, eventWithDetectionsView);
    return exitCodes.ok;
  },
});
