import { defineCommand } from "../command.ts";
import { follow, messageShown, tailOptions } from "../events/follow.ts";

export const tailAlerts = defineCommand({
  name: "alerts tail",
  summary: "Follow alerts live",
  description:
    "Prints alerts as they are raised, delivered, acknowledged and dismissed, until Ctrl-C. After a lost connection it resumes where it stopped.",
  options: tailOptions,
  examples: [
    { command: "homesec alerts tail", note: "watch in a terminal" },
    { command: "homesec alerts tail -o ndjson --state alerts.state | ./my-siren", note: "feed a program; the next run resumes" },
  ],
  endsOnSignal: true,
  prints: () => messageShown,
  run({ options: { since, state } }, io) {
    return follow(io, "alerts tail", { since, state, types: ["alert_*"] });
  },
});
