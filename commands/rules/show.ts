import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";
import { findRule } from "./find.ts";

export const showRule = defineCommand({
  name: "rules show",
  summary: "Show one alert rule",
  arguments: { rule: textArgument("Id of the rule, or its exact name") },
  examples: [{ command: "homesec rules show 'Person at night'", note: "its conditions, cooldown and channels" }],
  async run({ arguments: { rule } }, io) {
    const { ruleView } = await import("./view.ts");
    await printRecord(io.output, await findRule(io, rule), ruleView);
    return exitCodes.ok;
  },
});
