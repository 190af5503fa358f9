import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { canAsk, openDialogue } from "../input/dialogue.ts";
import type { Rule } from "../input/find.ts";
import { withCameraIds } from "../input/find-camera.ts";
import { idOf } from "../input/options.ts";
import { parseYaml } from "../input/read-text.ts";
import type { Io } from "../io.ts";
import { noteUnusableChannels } from "../notifications/commands.ts";
import { printRecord } from "../output/output.ts";
import { checkRules, forceOption } from "./faults.ts";
import { ruleView } from "./view.ts";
import { noteFixedZones } from "./zone-note.ts";

export const editRule = defineCommand({
  name: "rules edit",
  summary: "Change an alert rule in an editor",
  description:
    "Opens the rule as YAML in the editor of VISUAL or EDITOR and saves it when the editor exits without an error. After a mistake you can edit it again.",
  arguments: { rule: idOf("rule", textArgument("Rule id, its start, or name")) },
  options: forceOption,
  examples: [
    { command: "homesec rules edit 'Person at night'", note: "in your editor" },
    { command: "homesec rules edit 'Person at night' -o yaml", note: "print the result as YAML" },
  ],
  prints: () => ruleView,
  async run({ arguments: { rule: id }, options }, io) {
    const [{ openDraft }, { rulesOf }, { stringify }] = await Promise.all([
      import("../input/editor.ts"),
      import("./file.ts"),
      import("yaml"),
    ]);
    const before = await io.call("getRule", { params: { id } });
    const draft = await openDraft(io.host, "rule.yaml", heading + stringify(editable(before)));
    for (;;) {
      const text = await draft.edit();
      if (text === undefined) {
        await draft.discard();
        io.output.note("nothing was changed");
        return exitCodes.ok;
      }
      try {
        const [edited] = rulesOf(await parseYaml(text, "the rule"), "the rule");
        const body = edited && (await withCameraIds(io, edited));
        await checkRules(io, [body ?? {}], options);
        const now = await io.call("getRule", { params: { id: before.id } });
        if (now.version !== before.version) {
          throw new Problem("conflict", "someone else changed the rule in the meantime");
        }
        const changed = await io.call("updateRule", { params: { id: before.id }, body: { ...body } });
        await draft.discard();
        await printRecord(io.output, changed, ruleView);
        noteFixedZones(io, [changed]);
        await noteUnusableChannels(io, changed.channels);
        return exitCodes.ok;
      } catch (error) {
        if (!(error instanceof Problem)) {
          io.output.note(`your text is saved in ${draft.file}`);
          throw error;
        }
        if (error.kind !== "invalid" || !(await askToEditAgain(io, error)))
          throw new Problem(error.kind, `${error.message}; your text is saved in ${draft.file}`, { cause: error });
      }
    }
  },
});

const heading = `# Save and close to change the rule; close without changes to keep it.
# null removes a condition. schedule can be text: mon-fri 22:00-06:00 Europe/Berlin
`;

function editable({ id: _id, version: _version, created_at: _created, updated_at: _updated, ...definition }: Rule) {
  return definition;
}

/** Asks whether to edit the rule again after a mistake. */
async function askToEditAgain(io: Io, { message }: Problem): Promise<boolean> {
  if (!canAsk(io.host)) return false;
  const dialogue = openDialogue(io.host);
  try {
    return !/^n/i.test(await dialogue.ask(`${message}\nEdit it again? [Y/n] `));
  } finally {
    dialogue.close();
  }
}
