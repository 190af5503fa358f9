import { severities } from "../../src/contract/constants.ts";
import type { Command } from "../command.ts";
import { actionCommand, listCommand, recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { choice, idOf, toggle } from "../input/options.ts";
import { activeSilences, noteSilences, silencedView } from "../silence/active.ts";
import { addRule } from "./add.ts";
import { editRule } from "./edit.ts";
import { testRule } from "./test.ts";
import { updateRule } from "./update.ts";
import { ruleView } from "./view.ts";

const ruleArgument = idOf("rule", textArgument("Rule id, its start, or name"));

const listRules = listCommand({
  name: "rules list",
  summary: "List alert rules, newest first",
  options: {
    enabled: toggle("Only enabled rules; --no-enabled for disabled ones"),
    severity: choice(severities, "Only rules of this severity"),
  },
  examples: [
    { command: "homesec rules list", note: "all rules with their conditions" },
    { command: "homesec rules list --no-enabled", note: "disabled rules" },
  ],
  view: ruleView,
  page: (io, { options }, page) => io.call("listRules", { query: { ...options, ...page } }),
  rows: (body) => body.items,
  after: async (io) => noteSilences(io, await activeSilences(io)),
});

const showRule = recordCommand({
  name: "rules show",
  summary: "Show one alert rule",
  arguments: { rule: ruleArgument },
  examples: [{ command: "homesec rules show 'Person at night'", note: "conditions, cooldown, channels and active silences" }],
  view: ruleView,
  record: (io, input) => io.call("getRule", { params: { id: input.arguments.rule } }),
  async viewOf(io, { id, camera_ids }) {
    const isAt = (camera_id: string | null): boolean => camera_id === null || (camera_ids?.includes(camera_id) ?? true);
    const silences = await activeSilences(io, ({ camera_id, rule_id }) => isAt(camera_id) && (rule_id === null || rule_id === id));
    return silencedView(io, ruleView, silences);
  },
});

function switchCommand(verb: string, enabled: boolean, summary: string, note: string): Command {
  return recordCommand({
    name: `rules ${verb}`,
    summary,
    arguments: { rule: ruleArgument },
    examples: [{ command: `homesec rules ${verb} 'Person at night'`, note }],
    view: ruleView,
    record: (io, input) => io.call("updateRule", { params: { id: input.arguments.rule }, body: { enabled } }),
  });
}

const removeRule = actionCommand({
  name: "rules remove",
  summary: "Remove an alert rule; its alerts stay",
  description: "Removes an alert rule and all its versions. Its alerts stay. To keep the rule, use `homesec rules disable`.",
  arguments: { rule: ruleArgument },
  options: yesOption,
  examples: [
    { command: "homesec rules remove 'Person at night'", note: "asks for confirmation" },
    { command: "homesec rules remove 'Person at night' --yes", note: "in a script" },
  ],
  async act(io, { arguments: { rule: id }, options }) {
    const { name } = await io.call("getRule", { params: { id } });
    await confirm(io, options, `Remove the rule ${JSON.stringify(name)} and all its versions?`);
    await io.call("deleteRule", { params: { id } });
    return `rule ${name} removed`;
  },
});

export const commands: readonly Command[] = [
  listRules,
  showRule,
  addRule,
  editRule,
  updateRule,
  switchCommand("enable", true, "Enable an alert rule", "in effect now"),
  switchCommand("disable", false, "Disable an alert rule; it raises no alerts", "until you enable it again"),
  removeRule,
  testRule,
];
