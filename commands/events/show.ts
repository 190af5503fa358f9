import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const showEvent = defineCommand({
  name: "events show",
  summary: "Show one event with its detections",
  arguments: { eventId: idArgument("Id of the event") },
  examples: [
    { command: "homesec events show 42", note: "score, reasons and what was seen" },
    { command: "homesec events show 42 -o json", note: "the record as the API has it" },
  ],
  prints: async () => (await import("./view.ts")).eventWithDetectionsView,
  async run({ arguments: { eventId } }, io) {
    const { eventWithDetectionsView } = await import("./view.ts");
    await printRecord(io.output, await io.call("getEvent", { params: { event_id: eventId } }), eventWithDetectionsView);
    return exitCodes.ok;
  },
});
