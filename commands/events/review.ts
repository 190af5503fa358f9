import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";

export const reviewEvent = defineCommand({
  name: "events review",
  summary: "Mark an event as reviewed",
  arguments: { eventId: idArgument("Id of the event") },
  options: {
    undo: flag("Mark it as not reviewed"),
    note: text("text", "Note something on it too, in place of what is noted there"),
  },
  examples: [
    { command: "homesec events review 42", note: "somebody has looked at it" },
    { command: "homesec events review 42 --note 'the neighbour'", note: "and knows what it was" },
    { command: "homesec events review 42 --undo", note: "to be looked at again" },
  ],
  prints: async () => (await import("./view.ts")).eventWithDetectionsView,
  async run({ arguments: { eventId }, options: { undo, note } }, io) {
    const { eventWithDetectionsView } = await import("./view.ts");
    const event = await io.call("updateEvent", { params: { event_id: eventId }, body: { reviewed: !undo, notes: note } });
    io.output.note(`event ${eventId} marked as ${undo ? "not reviewed" : "reviewed"}`);
    await printRecord(io.output, event, eventWithDetectionsView);
    return exitCodes.ok;
  },
});
