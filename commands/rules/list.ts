import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, rowLimit, toggle } from "../input/options.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { activeSilences, noteSilences } from "../silence/active.ts";

export const listRules = defineCommand({
  name: "rules list",
  summary: "List the alert rules, newest first",
  options: {
    enabled: toggle("Only those that are on; with --no-enabled those that are off"),
    severity: choice(["low", "medium", "high", "critical"], "Only rules of this severity"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec rules list", note: "which rules there are, and what they look at" },
    { command: "homesec rules list --no-enabled", note: "those that are switched off" },
  ],
  prints: async () => (await import("./view.ts")).ruleView,
  async run({ options: { enabled, severity, limit } }, io) {
    const { ruleView } = await import("./view.ts");
    const bodies = pages(limit, (page) => io.call("listRules", { query: { enabled, severity, ...page } }));
    await printList(io.output, bodies, (body) => body.items, ruleView);
    noteSilences(io, await activeSilences(io));
    return exitCodes.ok;
  },
});
