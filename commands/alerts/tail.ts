import { defineCommand } from "../command.ts";
import { follow, messageShown } from "../events/follow.ts";
import { integer, text } from "../input/options.ts";

export const tailAlerts = defineCommand({
  name: "alerts tail",
  summary: "Follow the alerts, live",
  description:
    "Prints alerts as they are raised, delivered, acknowledged and dismissed, until Ctrl-C. After an interruption it goes on where it was.",
  options: {
    since: integer("sequence", 0, Number.MAX_SAFE_INTEGER, "Begin after this sequence; without it, with what comes from now on"),
    state: text(
      "file",
      "Keep the last printed sequence in this file; the next run goes on there, whatever --since says. What a reader that died had left in the pipe counts as printed",
    ),
  },
  examples: [
    { command: "homesec alerts tail", note: "watch in a terminal" },
    { command: "homesec alerts tail -o ndjson --state alerts.state | ./my-siren", note: "feed a program; run it again and it goes on" },
  ],
  endsOnSignal: true,
  prints: () => messageShown,
  run({ options: { since, state } }, io) {
    return follow(io, "alerts tail", { since, state, types: ["alert_*"] });
  },
});
