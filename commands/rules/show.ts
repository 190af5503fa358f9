import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";
import { activeSilences, silencedView } from "../silence/active.ts";
import { findRule } from "./find.ts";

export const showRule = defineCommand({
  name: "rules show",
  summary: "Show one alert rule",
  arguments: { rule: textArgument("Id of the rule, or its exact name") },
  examples: [
    { command: "homesec rules show 'Person at night'", note: "its conditions, cooldown and channels, and whether it is silenced" },
  ],
  prints: async () => (await import("./view.ts")).ruleView,
  async run({ arguments: { rule } }, io) {
    const { ruleView } = await import("./view.ts");
    const found = await findRule(io, rule);
    const isAt = (cameraId: string | null): boolean => cameraId === null || (found.camera_ids?.includes(cameraId) ?? true);
    const silences = await activeSilences(io, (each) => isAt(each.camera_id) && (each.rule_id === null || each.rule_id === found.id));
    await printRecord(io.output, found, silencedView(io, ruleView, silences));
    return exitCodes.ok;
  },
});
