import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { choiceList } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { printRecord } from "../output/output.ts";
import { findRule } from "./find.ts";
import { ruleBody, ruleOptions } from "./options.ts";

/** What a rule can do without, and the field that says so. */
const optional = {
  "risk-threshold": "risk_threshold",
  "object-types": "object_types",
  cameras: "camera_ids",
  "min-confidence": "min_confidence",
  schedule: "schedule",
  channels: "channels",
} as const;
type Optional = keyof typeof optional;

export const updateRule = defineCommand({
  name: "rules update",
  summary: "Change an alert rule by flags",
  description: "Changes what is given of an alert rule; the rest stays. `rules edit` shows all of it in an editor.",
  arguments: { rule: textArgument("Id of the rule, or its exact name") },
  options: {
    ...ruleOptions,
    enabled: { ...ruleOptions.enabled, description: "Switch it on; --no-enabled: off" },
    without: choiceList(Object.keys(optional) as [Optional, ...Optional[]], "Conditions to leave out from now on; channels: only shown"),
  },
  examples: [
    { command: "homesec rules update 'Person at night' --schedule '23:00-05:00' --cooldown 15m", note: "other hours, and fewer alerts" },
    { command: "homesec rules update 'Person at night' --without cameras", note: "from now on for all cameras" },
  ],
  prints: async () => (await import("./view.ts")).ruleView,
  async run({ arguments: { rule: idOrName }, options: { without, ...options } }, io) {
    const given = ruleBody(options);
    const cleared = Object.fromEntries((without ?? []).map((name) => [optional[name], null]));
    const both = (without ?? []).find((name) => given[optional[name]] !== undefined);
    if (both !== undefined) throw new Problem("invalid", `--${both} is given a value and left out; say one of them`);
    const body = { ...given, ...cleared };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Problem(
        "invalid",
        "nothing to change; give what shall be changed, such as --risk-threshold 60, or use `homesec rules edit`",
      );
    }
    const { ruleView } = await import("./view.ts");
    const { id } = await findRule(io, idOrName);
    const changed = await io.call("updateRule", { params: { id }, body });
    io.output.note(`rule ${changed.name} changed`);
    await printRecord(io.output, changed, ruleView);
    await noteUnknownCameras(io, options.cameras);
    return exitCodes.ok;
  },
});
