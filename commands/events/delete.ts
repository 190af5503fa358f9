import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";

export const deleteEvent = defineCommand({
  name: "events delete",
  summary: "Delete an event; it can be restored",
  description: "Takes an event out of lists, searches and statistics. Its detections and pictures stay, and it can be restored.",
  arguments: { eventId: idArgument("Id of the event") },
  examples: [{ command: "homesec events delete 42", note: "undone by homesec events restore 42" }],
  async run({ arguments: { eventId } }, io) {
    await io.call("deleteEvent", { params: { event_id: eventId } });
    io.output.note(`event ${eventId} deleted; homesec events restore ${eventId} brings it back`);
    return exitCodes.ok;
  },
});
