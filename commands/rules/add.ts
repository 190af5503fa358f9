import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { calledAs } from "../host.ts";
import { canAsk } from "../input/dialogue.ts";
import { allRules, allWebhooks, getsAlerts, type Rule } from "../input/find.ts";
import { withCameraIds } from "../input/find-camera.ts";
import { text } from "../input/options.ts";
import { parseYaml, readText } from "../input/read-text.ts";
import type { Io } from "../io.ts";
import { noteUnusableChannels, usableChannels } from "../notifications/commands.ts";
import { printRecord, printRows } from "../output/output.ts";
import { draftView, dryRunOption, printDrafts } from "./dry-run.ts";
import { checkRules, forceOption } from "./faults.ts";
import type { NewRule } from "./file.ts";
import { ruleBody, ruleOptions } from "./options.ts";
import { ruleView } from "./view.ts";
import { noteFixedZones } from "./zone-note.ts";

export const addRule = defineCommand({
  name: "rules add",
  summary: "Add alert rules from flags, a file or a dialogue",
  description:
    "Adds an alert rule from flags, or all rules of a YAML or JSON file. Without flags and file it asks step by step on a terminal. Omitted conditions match every event. A file holds one rule or a list, with the field names of the API; `schedule` and `cooldown` also accept the syntax of their flags. A rule that can never match or alert is refused: on a terminal you can save it anyway, in a script with --force. --dry-run saves nothing and shows the alerts that the rule would have raised in the last 30 days.",
  options: {
    ...ruleOptions,
    file: { ...text("file", "YAML or JSON file with rules; - for stdin"), short: "f" },
    ...forceOption,
    ...dryRunOption,
  },
  examples: [
    {
      command: "homesec rules add --name 'Person at night' --object-types person --schedule '22:00-06:00' --channels email",
      note: "one rule from flags",
    },
    {
      command: "homesec rules add --name Serious --severity critical --risk-threshold 80 --cooldown 10m --channels email,webhook",
      note: "any event with a high risk score",
    },
    { command: "homesec rules add -f rules.yaml", note: "all rules of a file" },
    { command: "homesec rules add -f rules.yaml --dry-run", note: "how often would they have alerted?" },
    { command: "homesec rules add", note: "step by step, on a terminal" },
  ],
  prints: ({ options: { dry_run } }) => (dry_run ? draftView : ruleView),
  async run({ options: { file, force, dry_run, ...options } }, io) {
    const body = ruleBody(options);
    const hasFlags = Object.values(body).some((value) => value !== undefined);
    if (file !== undefined && hasFlags) throw new Problem("invalid", "--file excludes other rule flags; write the values into the file");
    const rules = file !== undefined ? await rulesIn(io, file) : [hasFlags ? withName(body) : await askOnTerminal(io)];
    if (dry_run) {
      await printDrafts(io, rules);
      return exitCodes.ok;
    }
    await checkRules(io, rules, { force });
    const added: Rule[] = [];
    for (const rule of rules) {
      try {
        added.push(await io.call("createRule", { body: rule }));
      } catch (error) {
        if (added.length > 0) io.output.note(`already added: ${added.map(({ name, id }) => `${name} (${id})`).join(", ")}`);
        throw error;
      }
    }
    const [first, ...others] = added;
    if (first === undefined || others.length > 0) await printRows(io.output, added, ruleView, added);
    else await printRecord(io.output, first, ruleView);
    await noteSameNames(io, added);
    noteFixedZones(io, added);
    await noteChannels(io, added);
    return exitCodes.ok;
  },
});

function withName(body: ReturnType<typeof ruleBody>): NewRule {
  const { name } = body;
  if (name === undefined) throw new Problem("invalid", "a rule needs a --name");
  return { ...body, name };
}

async function rulesIn(io: Io, file: string): Promise<NewRule[]> {
  const place = file === "-" ? "stdin" : file;
  const value = await parseYaml(await readText(io.host, "--file", file), place);
  const { rulesOf } = await import("./file.ts");
  return await Promise.all(rulesOf(value, place).map((rule) => withCameraIds(io, rule)));
}

async function askOnTerminal(io: Io): Promise<NewRule> {
  if (!canAsk(io.host)) throw new Problem("invalid", "no rule given; give --name and conditions, or a file with -f");
  const { askForRule } = await import("./ask.ts");
  return await withCameraIds(io, await askForRule(io));
}

/** Notes channels that send nothing yet, which would otherwise show at the first alert, or that there is no channel at all. */
async function noteChannels(io: Io, rules: readonly Rule[]): Promise<void> {
  const config = await io.call("getNotificationConfig", {});
  if (config.notification_enabled && usableChannels(config).length === 0 && !(await allWebhooks(io, true)).some(getsAlerts)) {
    io.output.note(`No mail, chat or phone gets your alerts yet. To get the first one: ${calledAs(io.host)} setup`);
    return;
  }
  await noteUnusableChannels(
    io,
    rules.flatMap(({ channels }) => channels ?? []),
  );
}

/** Notes names that several rules share: commands then need ids. */
async function noteSameNames(io: Io, added: readonly Rule[]): Promise<void> {
  const names = (await allRules(io)).map(({ name }) => name);
  for (const name of new Set(added.map((rule) => rule.name))) {
    const count = names.filter((each) => each === name).length;
    if (count > 1) io.output.note(`${count} rules are named ${JSON.stringify(name)}; use their ids in commands (\`homesec rules list\`)`);
  }
}
