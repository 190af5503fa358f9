import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument, textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

export const noteEvent = defineCommand({
  name: "events note",
  summary: "Note something on an event",
  description: "Puts a note on an event, at most 4000 characters, in place of what is noted there. Notes are searched too.",
  arguments: { eventId: idArgument("Id of the event"), text: textArgument("The note; an empty one takes the old one away") },
  examples: [
    { command: "homesec events note 42 'the neighbour with his ladder'", note: "found again by homesec events search ladder" },
    { command: "homesec events note 42 ''", note: "nothing any more" },
  ],
  prints: async () => (await import("./view.ts")).eventWithDetectionsView,
  async run({ arguments: { eventId, text } }, io) {
    const { eventWithDetectionsView } = await import("./view.ts");
    const event = await io.call("updateEvent", { params: { event_id: eventId }, body: { notes: text } });
    io.output.note(text === "" ? `the note on event ${eventId} is gone` : `noted on event ${eventId}`);
    await printRecord(io.output, event, eventWithDetectionsView);
    return exitCodes.ok;
  },
});
