import { Problem } from "../../src/contract/problem.ts";
import type { Command } from "../command.ts";
import { actionCommand, recordCommand, rowsCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { idOf, text } from "../input/options.ts";
import { addChannel } from "./add.ts";
import { settingOptions, settingsOf } from "./options.ts";
import { channelTestView, channelView } from "./view.ts";

const channelArgument = idOf("channel", textArgument("Channel id, its start, or name"));

const listChannels = rowsCommand({
  name: "channels list",
  summary: "List the channels to phones",
  examples: [{ command: "homesec channels list", note: "with the result of the last message" }],
  view: channelView,
  body: (io) => io.call("listChannels", {}),
  rows: ({ channels }) => channels,
});

const showChannel = recordCommand({
  name: "channels show",
  summary: "Show one channel; secrets are not shown",
  arguments: { channel: channelArgument },
  examples: [{ command: "homesec channels show ntfy", note: "its settings and the last error" }],
  view: channelView,
  record: (io, { arguments: { channel: id } }) => io.call("getChannel", { params: { id } }),
});

const updateChannel = recordCommand({
  name: "channels update",
  summary: "Change a channel; omitted values stay",
  arguments: { channel: channelArgument },
  options: { name: text("name", "Name of the channel"), ...settingOptions },
  examples: [
    { command: 'homesec channels update ntfy --name "Anna\'s phone"', note: "rules that name the channel have to be changed first" },
    { command: "homesec channels update ntfy --secret-file token.txt", note: "a new token" },
  ],
  view: channelView,
  async record(io, { arguments: { channel: id }, options: { name, ...options } }) {
    const { kind } = await io.call("getChannel", { params: { id } });
    const settings = await settingsOf(io, kind, options);
    const hasSettings = Object.keys(settings).length > 0;
    if (name === undefined && !hasSettings) {
      throw new Problem("invalid", "nothing to change; `homesec channels update --help` lists the options");
    }
    return await io.call("updateChannel", { params: { id }, body: { name, ...(hasSettings && { settings }) } });
  },
});

const testChannel = recordCommand({
  name: "channels test",
  summary: "Send a test message with a picture",
  description: "Sends a test message. If the service accepts it, homesec also sends what waits for the channel. Exits with 1 if it fails.",
  arguments: { channel: channelArgument },
  examples: [{ command: "homesec channels test ntfy", note: "does it reach the phone?" }],
  view: channelTestView,
  record: (io, { arguments: { channel: id } }) => io.call("testChannel", { params: { id } }),
  exitCode: ({ success }) => (success ? exitCodes.ok : exitCodes.failure),
});

const removeChannel = actionCommand({
  name: "channels remove",
  summary: "Remove a channel; its waiting messages are cancelled",
  arguments: { channel: channelArgument },
  options: yesOption,
  examples: [
    { command: "homesec channels remove ntfy", note: "asks for confirmation; `homesec channels disable` keeps it" },
    { command: "homesec channels remove ntfy --yes", note: "in a script" },
  ],
  async act(io, { arguments: { channel: id }, options }) {
    const { name } = await io.call("getChannel", { params: { id } });
    await confirm(io, options, `Remove the channel ${JSON.stringify(name)}?`);
    await io.call("deleteChannel", { params: { id } });
    return `channel ${name} removed`;
  },
});

function switchCommand(verb: string, enabled: boolean, summary: string, note: string): Command {
  return recordCommand({
    name: `channels ${verb}`,
    summary,
    arguments: { channel: channelArgument },
    examples: [{ command: `homesec channels ${verb} ntfy`, note }],
    view: channelView,
    record: (io, { arguments: { channel: id } }) => io.call("updateChannel", { params: { id }, body: { enabled } }),
  });
}

export const commands: readonly Command[] = [
  addChannel,
  listChannels,
  showChannel,
  updateChannel,
  testChannel,
  switchCommand("enable", true, "Enable a channel", "messages are sent again"),
  switchCommand("disable", false, "Disable a channel; it gets no messages", "until you enable it again"),
  removeChannel,
];
