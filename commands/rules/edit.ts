import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { canAsk, openDialogue } from "../input/dialogue.ts";
import { parseYaml } from "../input/read-text.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import type { Io } from "../io.ts";
import { printRecord } from "../output/output.ts";
import { findRule, type Rule } from "./find.ts";

export const editRule = defineCommand({
  name: "rules edit",
  summary: "Change an alert rule in an editor",
  description:
    "Opens the rule as YAML in the editor of VISUAL or EDITOR, and stores it when the editor ends well. What was not changed stays as it is. After a mistake it can be edited again.",
  arguments: { rule: textArgument("Id of the rule, or its exact name") },
  examples: [
    { command: "homesec rules edit 'Person at night'", note: "in your editor" },
    { command: "homesec rules edit 'Person at night' -o yaml", note: "and print the result as YAML" },
  ],
  prints: async () => (await import("./view.ts")).ruleView,
  async run({ arguments: { rule: idOrName } }, io) {
    const [{ openDraft }, { rulesOf }, { stringify }, { ruleView }] = await Promise.all([
      import("../input/editor.ts"),
      import("./file.ts"),
      import("yaml"),
      import("./view.ts"),
    ]);
    const before = await findRule(io, idOrName);
    const draft = await openDraft(io.host, "rule.yaml", heading + stringify(editable(before)));
    for (;;) {
      const text = await draft.edit();
      if (text === undefined) {
        await draft.discard();
        io.output.note("nothing was changed");
        return exitCodes.ok;
      }
      try {
        const [body] = rulesOf(await parseYaml(text, "the rule"), "the rule");
        const now = await io.call("getRule", { params: { id: before.id } });
        if (now.version !== before.version) {
          throw new Problem("conflict", "somebody else changed the rule meanwhile");
        }
        const changed = await io.call("updateRule", { params: { id: before.id }, body: { ...body } });
        await draft.discard();
        await printRecord(io.output, changed, ruleView);
        await noteUnknownCameras(io, changed.camera_ids);
        return exitCodes.ok;
      } catch (error) {
        if (!(error instanceof Problem)) {
          io.output.note(`what you wrote is kept in ${draft.file}`);
          throw error;
        }
        if (error.kind !== "invalid" || !(await again(io, error)))
          throw new Problem(error.kind, `${error.message}; what you wrote is kept in ${draft.file}`, { cause: error });
      }
    }
  },
});

const heading = `# Save and close to change the rule; leave the text as it is to change nothing.
# null leaves a condition out. schedule can be text: mon-fri 22:00-06:00 Europe/Berlin
`;

function editable({ id: _id, version: _version, created_at: _created, updated_at: _updated, ...definition }: Rule) {
  return definition;
}

/** Whether the person wants to set it right. */
async function again(io: Io, { message }: Problem): Promise<boolean> {
  if (!canAsk(io.host)) return false;
  const dialogue = openDialogue(io.host);
  try {
    return !/^n/i.test(await dialogue.ask(`${message}\nEdit it again? [Y/n] `));
  } finally {
    dialogue.close();
  }
}
