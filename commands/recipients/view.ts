import { describeSchedule } from "../../src/alerting/rules/schedule.ts";
import { pluralize } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Cell } from "../output/table.ts";
import { exactly, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Recipient = ReplyOf<"getRecipient">;

const state = ({ enabled }: Recipient): Cell => (enabled ? { text: "on", paint: "green" } : { text: "off", paint: "yellow" });
const hoursText = ({ hours }: Recipient): string => hours?.map(describeSchedule).join("; ") ?? "always";
const escalationText = ({ escalate_to: next, escalate_minutes: minutes }: Recipient): string =>
  next === null ? "none" : `${next} after ${minutes} min`;
const heldText = ({ held_alerts: count, held_until: until }: Recipient, terminal: TerminalFormat): string =>
  until === null ? "nothing" : `${pluralize(count, "alert")} until ${exactly(terminal, until)}`;
const repeatsText = ({ repeat_times: times, repeat_minutes: minutes }: Recipient): string =>
  times === 0 ? "none" : `every ${minutes} min, ${times} times`;

export const recipientView: View<Recipient> = {
  plural: "recipients",
  fields: fieldsOf("getRecipient"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: id }) },
    { title: "NAME", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "STATE", cell: state },
    { title: "CHANNELS", keep: true, cell: ({ channels }) => ({ text: channels.join(", ") }) },
    { title: "HOURS", cell: (recipient) => ({ text: hoursText(recipient) }) },
    { title: "SEVERITY", cell: ({ severity }) => ({ text: severity }) },
    { title: "ESCALATES TO", cell: (recipient) => ({ text: escalationText(recipient) }) },
  ],
  details: (recipient, terminal) => [
    ["recipient", { text: recipient.id, paint: "bold" }],
    ["name", { text: recipient.name }],
    ["state", state(recipient)],
    ["channels", { text: recipient.channels.join(", ") }],
    ["hours", { text: hoursText(recipient) }],
    ["outside hours", { text: recipient.critical_anytime ? "critical alerts only" : "nothing" }],
    ["severity", { text: `${recipient.severity} and higher` }],
    ["rules", { text: recipient.rule_ids?.join(", ") ?? "all that name it" }],
    ["repeats", { text: repeatsText(recipient) }],
    ["escalates to", { text: escalationText(recipient) }],
    ["held back", { text: heldText(recipient, terminal) }],
  ],
};
