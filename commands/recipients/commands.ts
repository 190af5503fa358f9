import { Problem } from "../../src/contract/problem.ts";
import type { Command } from "../command.ts";
import { actionCommand, recordCommand, rowsCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { choiceList, idOf, text, toggle } from "../input/options.ts";
import { noteUnusableChannels } from "../notifications/commands.ts";
import { channelsOption, recipientBody, recipientOptions } from "./options.ts";
import { recipientView } from "./view.ts";

const recipientArgument = idOf("recipient", textArgument("Recipient id, its start, or name"));

const addRecipient = recordCommand({
  name: "recipients add",
  summary: "Add a person whom rules can notify",
  description:
    "Adds a recipient. Rules send to it with --channels NAME, or --channels all for every recipient. Outside its hours homesec holds messages back, and sends one message about them when the hours begin. Critical alerts repeat until someone acknowledges them. docs/recipients.md has an example for two people.",
  arguments: { name: textArgument("Name of the person") },
  options: { channels: channelsOption, ...recipientOptions },
  examples: [
    { command: 'homesec recipients add Anna --channels "Anna\'s phone",anna@example.org', note: "at any hour" },
    {
      command: "homesec recipients add Ben --channels ntfy --hours 'mon-fri 07:00-22:00' --hours 'sat,sun 09:00-23:00'",
      note: "other hours at the weekend",
    },
    {
      command: "homesec recipients add Carl --channels Telegram --escalate-to Ben --escalate-after 10m",
      note: "Ben follows if no one acknowledges",
    },
  ],
  view: recipientView,
  async record(io, { arguments: { name }, options: { channels, ...options } }) {
    if (channels === undefined) throw new Problem("invalid", "give --channels; homesec channels list shows those to phones");
    return await io.call("createRecipient", { body: { name, channels, ...recipientBody(options) } });
  },
  note: ({ name }) => `rules notify ${name} with --channels ${JSON.stringify(name)}`,
  after: (io, { channels }) => noteUnusableChannels(io, channels),
});

const listRecipients = rowsCommand({
  name: "recipients list",
  summary: "List the people whom rules can notify",
  examples: [{ command: "homesec recipients list", note: "with channels, hours and escalation" }],
  view: recipientView,
  body: (io) => io.call("listRecipients", {}),
  rows: ({ recipients }) => recipients,
});

const showRecipient = recordCommand({
  name: "recipients show",
  summary: "Show one recipient",
  arguments: { recipient: recipientArgument },
  examples: [{ command: "homesec recipients show Anna", note: "channels, hours, repeats and escalation" }],
  view: recipientView,
  record: (io, { arguments: { recipient: id } }) => io.call("getRecipient", { params: { id } }),
});

/** Limits that can be removed, and their API fields. */
const optional = { hours: "hours", rules: "rule_ids", "escalate-to": "escalate_to" } as const;
type Optional = keyof typeof optional;

const updateRecipient = recordCommand({
  name: "recipients update",
  summary: "Change a recipient; omitted values stay",
  arguments: { recipient: recipientArgument },
  options: {
    name: text("name", "Name of the person"),
    channels: channelsOption,
    ...recipientOptions,
    enabled: toggle("Enable the recipient; --no-enabled to disable it"),
    without: choiceList(Object.keys(optional) as [Optional, ...Optional[]], "Limits to remove"),
  },
  examples: [
    { command: "homesec recipients update Anna --hours 'mon-fri 07:00-22:00'", note: "replaces all hours" },
    { command: "homesec recipients update Anna --severity high --without hours", note: "at any hour, but only what is serious" },
    { command: "homesec recipients update Anna --no-enabled", note: "while she is on holiday" },
  ],
  view: recipientView,
  async record(io, { arguments: { recipient: id }, options: { name, channels, enabled, without = [], ...options } }) {
    const given = { name, channels, enabled, ...recipientBody(options) };
    const both = without.find((word) => given[optional[word]] !== undefined);
    if (both !== undefined) throw new Problem("invalid", `--${both} is both set and removed; give only one of them`);
    const body = { ...given, ...Object.fromEntries(without.map((word) => [optional[word], null])) };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Problem("invalid", "nothing to change; `homesec recipients update --help` lists the options");
    }
    return await io.call("updateRecipient", { params: { id }, body });
  },
  note: ({ name }) => `recipient ${name} changed`,
  after: async (io, { channels }, { options }) => (options.channels === undefined ? undefined : await noteUnusableChannels(io, channels)),
});

const removeRecipient = actionCommand({
  name: "recipients remove",
  summary: "Remove a recipient; what was held back is not sent",
  arguments: { recipient: recipientArgument },
  options: yesOption,
  examples: [
    { command: "homesec recipients remove Anna", note: "asks for confirmation; `update Anna --no-enabled` keeps her" },
    { command: "homesec recipients remove Anna --yes", note: "in a script" },
  ],
  async act(io, { arguments: { recipient: id }, options }) {
    const { name } = await io.call("getRecipient", { params: { id } });
    await confirm(io, options, `Remove the recipient ${JSON.stringify(name)}?`);
    await io.call("deleteRecipient", { params: { id } });
    return `recipient ${name} removed`;
  },
});

export const commands: readonly Command[] = [addRecipient, listRecipients, showRecipient, updateRecipient, removeRecipient];
