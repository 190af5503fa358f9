import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { idArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";
import type { View } from "../output/view.ts";

interface Queued {
  readonly event_id: number;
  readonly status: string;
}

const view: View<Queued> = {
  plural: "events",
  fields: ["event_id", "status"],
  id: (record) => record.event_id,
  columns: [],
  details: (record) => [["event", { text: `${record.event_id} ${record.status}, to be judged again` }]],
};

export const reanalyzeEvent = defineCommand({
  name: "events reanalyze",
  summary: "Have an event judged again",
  description:
    "Asks the language model about an event once more. The event keeps its score until the new one is there, and for good when the analysis fails. With --direct it waits for the daemon.",
  arguments: { eventId: idArgument("Id of the event") },
  examples: [{ command: "homesec events reanalyze 42", note: "homesec events show 42 has the result a little later" }],
  prints: () => view,
  async run({ arguments: { eventId } }, io) {
    const queued: Queued = await io.call("reanalyzeEvent", { params: { event_id: eventId } });
    await printRecord(io.output, queued, view);
    return exitCodes.ok;
  },
});
