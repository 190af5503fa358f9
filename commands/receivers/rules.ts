import { type MailRuleField, mailRuleFields } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { rowsCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { flag, idOf, type Option, text, WrongValue } from "../input/options.ts";
import type { Io } from "../io.ts";
import { harmless } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";

type Login = ReplyOf<"listReceivers">["logins"][number];
type Rule = Login["mail_rules"][number];

const ruleView: RowView<Rule> = {
  plural: "mail rules",
  id: ({ camera_id }) => camera_id,
  fields: () => ["camera_id", "field", "pattern"],
  columns: [
    { title: "CAMERA", keep: true, cell: ({ camera_id }) => ({ text: camera_id }) },
    { title: "MATCHES", keep: true, cell: ({ field }) => ({ text: field }) },
    { title: "PATTERN", keep: true, cell: ({ pattern }) => ({ text: harmless(pattern) }) },
  ],
};

/** Rules, each as `gate=subject:*Channel A2`, by repeating the option. */
const rules: Option<Rule[] | undefined> = {
  description: "Camera that gets mails with this subject, sender or text; repeatable, the first match decides",
  placeholder: "camera=field:pattern",
  repeatable: true,
  read: ({ texts }) => (texts.length > 0 ? texts.map(ruleOf) : undefined),
};

function ruleOf(given: string): Rule {
  const [, camera_id, field, pattern] = /^([^=:]+)=(\w+):(.*)$/s.exec(given) ?? [];
  const known = mailRuleFields.find((each) => each === field) satisfies MailRuleField | undefined;
  if (camera_id === undefined || pattern === undefined || known === undefined) {
    throw new WrongValue(`CAMERA=FIELD:PATTERN with the field ${mailRuleFields.join(", ")}, such as 'gate=subject:*Channel A2'`);
  }
  return { camera_id: camera_id.trim(), field: known, pattern: pattern.trim() };
}

export const mailRules = rowsCommand({
  name: "receivers rules",
  summary: "Show or set which cameras get the mails of a recorder",
  description:
    "Shows the rules by which the mails of one login are given to several cameras; with options, replaces them first. A pattern describes the whole subject, the sender's whole address or name, or a whole line of the text: * stands for any characters, ? for one. Mails that no rule matches go to the camera of the login, and `homesec receivers list` names their subject.",
  arguments: { camera_id: idOf("camera", textArgument("Camera id or name of the recorder's login")) },
  options: {
    rule: rules,
    unmatched: text("camera", "Camera that gets other mails, or refuse (default the login's camera)"),
    clear: flag("Remove the rules: all mails go to the camera of the login"),
  },
  examples: [
    { command: "homesec receivers rules nvr", note: "the rules, in the order in which they are tried" },
    { command: "homesec receivers rules nvr --rule 'gate=subject:*Channel A1' --rule 'yard=subject:*Channel A2'", note: "by subject" },
    { command: "homesec receivers rules nvr --rule 'gate=text:*Channel No.: 1' --unmatched refuse", note: "by a line of the text" },
  ],
  view: ruleView,
  body: async (io, { arguments: { camera_id }, options: { rule, unmatched, clear } }) => {
    if (clear && (rule || unmatched !== undefined)) throw new Problem("invalid", "--clear removes all rules; remove the other options");
    if (clear) return await io.call("setMailRules", { params: { camera_id }, body: { rules: [] } });
    const login = await loginOf(io, camera_id);
    if (!rule && unmatched === undefined) return login;
    const unmatched_camera_id = unmatched === undefined ? undefined : unmatched === "refuse" ? null : unmatched;
    return await io.call("setMailRules", {
      params: { camera_id },
      body: { rules: rule ?? login.mail_rules, ...(unmatched_camera_id !== undefined && { unmatched_camera_id }) },
    });
  },
  rows: ({ mail_rules }) => mail_rules,
  after({ output }, { camera_id, mail_rules, unmatched_camera_id }) {
    if (mail_rules.length === 0) output.note(`all mails of this login go to camera ${camera_id}`);
    else output.note(unmatched_camera_id === null ? "other mails are refused" : `other mails go to camera ${unmatched_camera_id}`);
  },
});

/** Returns the camera's login for mail. Throws `Problem("not_found")`. */
async function loginOf(io: Io, camera_id: string): Promise<Login> {
  const { logins } = await io.call("listReceivers", { query: { camera_id } });
  const login = logins.find(({ protocol }) => protocol === "mail");
  if (login) return login;
  throw new Problem(
    "not_found",
    `camera ${camera_id} has no login for mail; create one with \`homesec cameras connect ${camera_id} --by mail\``,
  );
}
