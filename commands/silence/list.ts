import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, rowLimit } from "../input/options.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";

export const listSilences = defineCommand({
  name: "silence list",
  summary: "List alert silences, newest first",
  options: {
    status: choice(["active", "ended"], "Only those that hold alerts back now, or only those that are over"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec silence list --status active", note: "what holds alerts back now" },
    { command: "homesec silence list -o json", note: "ended ones too, for a program" },
  ],
  prints: async () => (await import("./view.ts")).silenceView,
  async run({ options: { status, limit } }, io) {
    const { silenceView } = await import("./view.ts");
    const bodies = pages(limit, (page) => io.call("listSilences", { query: { status, ...page } }));
    await printList(io.output, bodies, (body) => body.items, silenceView);
    return exitCodes.ok;
  },
});
