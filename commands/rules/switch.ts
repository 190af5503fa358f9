import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";
import { findRule } from "./find.ts";

export const enableRule = switching("enable", true, "Switch an alert rule on");
export const disableRule = switching("disable", false, "Switch an alert rule off; it stays, and raises nothing");

function switching(verb: string, enabled: boolean, summary: string): Command {
  return defineCommand({
    name: `rules ${verb}`,
    summary,
    arguments: { rule: textArgument("Id of the rule, or its exact name") },
    examples: [{ command: `homesec rules ${verb} 'Person at night'`, note: enabled ? "from now on" : "until it is enabled again" }],
    prints: async () => (await import("./view.ts")).ruleView,
    async run({ arguments: { rule } }, io) {
      const { ruleView } = await import("./view.ts");
      const { id } = await findRule(io, rule);
      await printRecord(io.output, await io.call("updateRule", { params: { id }, body: { enabled } }), ruleView);
      return exitCodes.ok;
    },
  });
}
