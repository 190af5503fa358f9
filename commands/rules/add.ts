import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { canAsk } from "../input/dialogue.ts";
import { text } from "../input/options.ts";
import { parseYaml, readText } from "../input/read-text.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import type { Io } from "../io.ts";
import { usableChannels } from "../notifications/config.ts";
import { printRecord, printRows } from "../output/output.ts";
import type { NewRule } from "./file.ts";
import { allRules, type Rule } from "./find.ts";
import { ruleBody, ruleOptions } from "./options.ts";

export const addRule = defineCommand({
  name: "rules add",
  summary: "Add alert rules: by flags, from a file, or step by step",
  description:
    "Adds an alert rule from flags, or all rules of a YAML or JSON file. On a terminal, without either, it asks step by step. Conditions that are left out are not looked at. A file has the fields of the API, one rule or a list; `schedule` and `cooldown` can be written as their flags are.",
  options: { ...ruleOptions, file: { ...text("file", "Rules as YAML or JSON; - reads what is piped in"), short: "f" } },
  examples: [
    {
      command: "homesec rules add --name 'Person at night' --object-types person --schedule '22:00-06:00' --channels email",
      note: "one rule by flags",
    },
    {
      command: "homesec rules add --name Serious --severity critical --risk-threshold 80 --cooldown 10m --channels email,webhook",
      note: "whatever it is, when the score is high",
    },
    { command: "homesec rules add -f rules.yaml", note: "all rules of a file" },
    { command: "homesec rules add", note: "be asked, on a terminal" },
  ],
  prints: async () => (await import("./view.ts")).ruleView,
  async run({ options: { file, ...options } }, io) {
    const body = ruleBody(options);
    const hasFlags = Object.values(body).some((value) => value !== undefined);
    if (file !== undefined && hasFlags) throw new Problem("invalid", "the rules of a file take no other flags; write them into the file");
    const rules = file !== undefined ? await rulesIn(io, file) : [hasFlags ? named(body) : await asked(io)];
    const { ruleView } = await import("./view.ts");
    const added: Rule[] = [];
    for (const rule of rules) {
      try {
        added.push(await io.call("createRule", { body: rule }));
      } catch (error) {
        if (added.length > 0) io.output.note(`added before: ${added.map(({ name, id }) => `${name} (${id})`).join(", ")}`);
        throw error;
      }
    }
    const [first, ...others] = added;
    if (first === undefined || others.length > 0) await printRows(io.output, added, ruleView, added);
    else await printRecord(io.output, first, ruleView);
    await noteSilent(io, added);
    await noteUnknownCameras(
      io,
      added.flatMap(({ camera_ids }) => camera_ids ?? []),
    );
    await noteSameNames(io, added);
    return exitCodes.ok;
  },
});

function named(body: ReturnType<typeof ruleBody>): NewRule {
  const { name } = body;
  if (name === undefined) throw new Problem("invalid", "a rule needs a --name");
  return { ...body, name };
}

async function rulesIn(io: Io, file: string): Promise<NewRule[]> {
  const place = file === "-" ? "what was piped in" : file;
  const value = await parseYaml(await readText(io.host, "--file", file), place);
  const { rulesOf } = await import("./file.ts");
  return rulesOf(value, place);
}

async function asked(io: Io): Promise<NewRule> {
  if (!canAsk(io.host)) throw new Problem("invalid", "nothing to add; give --name and conditions, or a file with -f");
  const { askForRule } = await import("./ask.ts");
  return await askForRule(io);
}

/** A channel that cannot be used is found out at the first alert otherwise. */
async function noteSilent(io: Io, rules: readonly Rule[]): Promise<void> {
  const wanted = new Set(rules.flatMap(({ channels }) => channels ?? []));
  if (wanted.size === 0) return;
  const usable = usableChannels(await io.call("getNotificationConfig", {}));
  const missing = [...wanted].filter((channel) => !usable.includes(channel));
  if (missing.length > 0) io.output.note(`${missing.join(", ")} cannot be used yet; \`homesec notifications config\` says why`);
}

/** By a name that several have no command finds the one that is meant. */
async function noteSameNames(io: Io, added: readonly Rule[]): Promise<void> {
  const names = (await allRules(io)).map(({ name }) => name);
  for (const name of new Set(added.map((rule) => rule.name))) {
    const count = names.filter((each) => each === name).length;
    if (count > 1)
      io.output.note(`${count} rules are named ${JSON.stringify(name)}; commands will want their ids (\`homesec rules list\`)`);
  }
}
