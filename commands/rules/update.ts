import { Problem } from "../../src/contract/problem.ts";
import { recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { choiceList, idOf } from "../input/options.ts";
import { noteUnusableChannels } from "../notifications/commands.ts";
import { checkRules, forceOption } from "./faults.ts";
import { ruleBody, ruleOptions } from "./options.ts";
import { ruleView } from "./view.ts";
import { noteFixedZones } from "./zone-note.ts";

/** Optional conditions and their API fields. */
const optional = {
  "risk-threshold": "risk_threshold",
  "object-types": "object_types",
  cameras: "camera_ids",
  zones: "zones",
  "not-zones": "not_zones",
  "min-size": "min_size",
  "min-confidence": "min_confidence",
  schedule: "schedule",
  mode: "modes",
  channels: "channels",
} as const;
type Optional = keyof typeof optional;

export const updateRule = recordCommand({
  name: "rules update",
  summary: "Change an alert rule from flags",
  description: "Changes the given parts of an alert rule and keeps the rest. `rules edit` opens the whole rule in an editor.",
  arguments: { rule: idOf("rule", textArgument("Rule id, its start, or name")) },
  options: {
    ...ruleOptions,
    enabled: { ...ruleOptions.enabled, description: "Enable the rule; --no-enabled to disable it" },
    without: choiceList(Object.keys(optional) as [Optional, ...Optional[]], "Conditions or channels to remove"),
    ...forceOption,
  },
  examples: [
    { command: "homesec rules update 'Person at night' --schedule '23:00-05:00' --cooldown 15m", note: "other hours and fewer alerts" },
    { command: "homesec rules update 'Person at night' --without cameras", note: "apply it to all cameras" },
  ],
  view: ruleView,
  async record(io, { arguments: { rule: id }, options: { without = [], force, ...options } }) {
    const given = ruleBody(options);
    const both = without.find((name) => given[optional[name]] !== undefined);
    if (both !== undefined) throw new Problem("invalid", `--${both} is both set and removed; give only one of them`);
    const body = { ...given, ...Object.fromEntries(without.map((name) => [optional[name], null])) };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Problem("invalid", "nothing to change; give a flag such as --risk-threshold 60, or use `homesec rules edit`");
    }
    await checkRules(io, [given], { force });
    return await io.call("updateRule", { params: { id }, body });
  },
  note: ({ name }) => `rule ${name} changed`,
  async after(io, rule, { options }) {
    if (options.schedule !== undefined) noteFixedZones(io, [rule]);
    if (options.channels !== undefined) await noteUnusableChannels(io, rule.channels);
  },
});
