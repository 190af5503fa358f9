import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { findRule } from "./find.ts";

export const removeRule = defineCommand({
  name: "rules remove",
  summary: "Remove an alert rule; its alerts stay",
  description: "Removes an alert rule with all its versions. Its alerts stay. `homesec rules disable` keeps the rule.",
  arguments: { rule: textArgument("Id of the rule, or its exact name") },
  options: yesOption,
  examples: [
    { command: "homesec rules remove 'Person at night'", note: "asks first" },
    { command: "homesec rules remove 'Person at night' --yes", note: "in a script" },
  ],
  async run({ arguments: { rule }, options }, io) {
    const { id, name } = await findRule(io, rule);
    await confirm(io, options, `Remove the rule ${JSON.stringify(name)} with all its versions?`);
    await io.call("deleteRule", { params: { id } });
    io.output.note(`rule ${name} removed`);
    return exitCodes.ok;
  },
});
