import { defineCommand } from "../command.ts";
import { list } from "../input/options.ts";
import { follow, messageShown, tailOptions } from "./follow.ts";

export const tailEvents = defineCommand({
  name: "events tail",
  summary: "Follow events and other messages live",
  description:
    "Prints messages of the daemon as they occur, until Ctrl-C. After a lost connection it resumes where it stopped, without gaps or duplicates. A message counts as printed once it is written to the pipe, even if the reader dies.",
  options: {
    since: tailOptions.since,
    types: list("type", "Only these types, such as event,batch.*"),
    state: tailOptions.state,
  },
  examples: [
    { command: "homesec events tail", note: "watch in a terminal" },
    { command: "homesec events tail --types event,event.updated", note: "only new and analysed events" },
    { command: "homesec events tail -o ndjson --state tail.state | ./my-program", note: "feed a program; the next run resumes" },
  ],
  endsOnSignal: true,
  prints: () => messageShown,
  run({ options }, io) {
    return follow(io, "events tail", options);
  },
});
