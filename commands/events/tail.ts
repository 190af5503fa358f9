import { defineCommand } from "../command.ts";
import { integer, list, text } from "../input/options.ts";
import { follow, messageShown } from "./follow.ts";

export const tailEvents = defineCommand({
  name: "events tail",
  summary: "Follow what happens, live",
  description:
    "Prints what happens as it happens, until Ctrl-C. After an interruption it goes on where it was: nothing is left out or printed twice.",
  options: {
    since: integer("sequence", 0, Number.MAX_SAFE_INTEGER, "Begin after this sequence; without it, with what comes from now on"),
    types: list("type", "Only these, such as event or batch.*; repeat it or use commas for several"),
    state: text(
      "file",
      "Keep the last printed sequence in this file; the next run goes on there, whatever --since says. What a reader that died had left in the pipe counts as printed",
    ),
  },
  examples: [
    { command: "homesec events tail", note: "watch in a terminal" },
    { command: "homesec events tail --types event,event.updated", note: "only events, new and judged" },
    { command: "homesec events tail -o ndjson --state tail.state | ./my-program", note: "feed a program; run it again and it goes on" },
  ],
  endsOnSignal: true,
  prints: () => messageShown,
  run({ options }, io) {
    return follow(io, "events tail", options);
  },
});
