import { randomBytes } from "node:crypto";
import { type ChannelField, channelForms } from "../../src/contract/channel-fields.ts";
import { type ChannelKindName, channelKinds } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { recordCommand } from "../command-shapes.ts";
import { word } from "../input/arguments.ts";
import { canAsk } from "../input/dialogue.ts";
import { text, toggle } from "../input/options.ts";
import type { Io } from "../io.ts";
import { settingOptions, settingsOf } from "./options.ts";
import { answer, answersTo, isYes, withFieldNames } from "./questions.ts";
import { type Channel, channelView } from "./view.ts";

/** How long Telegram holds a request, and how often homesec asks. */
const chatSeconds = 20;
const chatTurns = 16;

export const addChannel = recordCommand({
  name: "channels add",
  summary: "Add a channel to phones and send a test message",
  description:
    "Adds a channel, asks on a terminal for what is missing, and sends a test message with a picture. Rules send to it with --channels push, which means all channels to phones, or with its name. docs/phones.md has the steps for each service.",
  arguments: { kind: word(channelKinds, "Service") },
  options: {
    name: text("name", "Name of the channel (default: of the service)"),
    ...settingOptions,
    test: toggle("Send a test message; --no-test to send none"),
  },
  examples: [
    { command: "homesec channels add ntfy", note: "asks, and sends a test message with a picture" },
    { command: "homesec channels add telegram", note: "asks for the token of the bot, and finds the chat" },
    { command: 'homesec channels add ntfy --topic home-7Qm2xK --name "Anna\'s phone"', note: "in a script" },
  ],
  view: channelView,
  async record(io, { arguments: { kind }, options: { name, test: _, ...options } }) {
    const given = await settingsOf(io, kind, options);
    const asked = canAsk(io.host) ? missingFields(kind, given) : [];
    if (asked.length > 0) io.output.note(channelForms[kind].hint);
    let settings: Record<string, string> = { ...given, ...randomSettings(kind, given) };
    for (let fields = asked; ; ) {
      settings = { ...settings, ...(await answersTo(io, fields)) };
      try {
        const chat = kind === "telegram" ? await chatOf(io, settings) : {};
        return await io.call("createChannel", {
          body: { name: name ?? (await freeName(io, kind)), kind, settings: { ...settings, ...chat } },
        });
      } catch (error) {
        if (!(error instanceof Problem) || error.kind !== "invalid") throw error;
        const message = withFieldNames(error.message, kind);
        if (asked.length === 0) throw new Problem("invalid", message);
        io.output.note(`Not accepted: ${message}`);
        const refused = asked.filter(({ name: field }) => error.message.includes(`${field}: `));
        fields = refused.length > 0 ? refused : asked;
      }
    }
  },
  async after(io, channel, { options: { test } }) {
    if (test === false) return;
    await testNewChannel(io, channel);
  },
});

/** Finds the chat of a bot of Telegram, unless it is given. */
async function chatOf(io: Io, { token, chat_id, server }: Readonly<Record<string, string>>): Promise<{ readonly chat_id?: string }> {
  return token === undefined || chat_id !== undefined ? {} : { chat_id: await firstChat(io, { token, server }) };
}

/** Returns the required settings that are not given and that only the user knows. homesec finds the chat of Telegram itself. */
export function missingFields(kind: ChannelKindName, given: Readonly<Record<string, string>>): readonly ChannelField[] {
  return channelForms[kind].fields.filter(
    ({ name, isRequired, isRandom }) => isRequired === true && !isRandom && given[name] === undefined && name !== "chat_id",
  );
}

/** Makes up the settings that are not given and that homesec chooses. */
export function randomSettings(kind: ChannelKindName, given: Readonly<Record<string, string>>): Record<string, string> {
  const random = channelForms[kind].fields.filter(({ name, isRandom }) => isRandom && given[name] === undefined);
  return Object.fromEntries(random.map(({ name }) => [name, randomName()]));
}

/** Waits for the first message to a bot of Telegram, and returns its chat. Throws `Problem("unavailable")` after five minutes. */
export async function firstChat(io: Io, bot: { readonly token: string; readonly server: string | undefined }): Promise<string> {
  for (let turn = 0; turn < chatTurns && !io.host.signal.aborted; turn += 1) {
    const found = await io.call("findTelegramChats", { body: { ...bot, wait_seconds: turn === 0 ? 0 : chatSeconds } });
    const [chat] = found.chats;
    if (chat) {
      io.output.note(`found the chat with ${chat.title}; the channel sends to it`);
      return chat.id;
    }
    if (turn === 0) io.output.note(`now write any message to ${found.bot} in Telegram; homesec waits for it`);
  }
  throw new Problem("unavailable", "no message came to the bot; write one, and run the command again, or give --chat-id");
}

/** No one can guess it: on a public server it is the only secret. */
const randomName = (): string => `homesec-${randomBytes(9).toString("base64url").replaceAll(/[-_]/g, "x")}`;

/** Returns the name of the service, with a number if a channel has it. */
export async function freeName(io: Io, kind: ChannelKindName): Promise<string> {
  const { title } = channelForms[kind];
  const { channels } = await io.call("listChannels", {});
  const taken = channels.map(({ name }) => name.toLowerCase());
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? title : `${title} ${number}`;
    if (!taken.includes(name.toLowerCase())) return name;
  }
}

/** Sends a test message. On a terminal, asks whether it arrived, and for other settings if the service refuses it. */
async function testNewChannel(io: Io, { id, name, kind, settings }: Channel): Promise<void> {
  if (kind === "ntfy") io.output.note(`subscribe to the topic ${settings["topic"]} at ${settings["server"]} in the ntfy app`);
  const again = `homesec channels test ${JSON.stringify(name)}`;
  if (!canAsk(io.host)) {
    const { message, success } = await io.call("testChannel", { params: { id } });
    const change = hasOptions(kind) ? ` (homesec channels update ${JSON.stringify(name)} changes its settings)` : "";
    return io.output.note(success ? message : `${message}; when it is fixed${change}: ${again}`);
  }
  if (kind === "ntfy") await answer(io, "Press Enter when the phone has subscribed. ");
  while (!(await testOnce(io, id))) {
    if (!hasOptions(kind) || !(await isYes(io, "Enter the settings again? [Y/n] "))) return io.output.note(`when it is fixed: ${again}`);
    await changeSettings(io, kind, id);
  }
  const hasArrived = await isYes(io, "Did the message arrive? [Y/n] ");
  io.output.note(
    hasArrived
      ? "rules send to it with --channels push"
      : `the service has it, so look at the settings of the app and at its notifications; then: ${again}`,
  );
}

const hasOptions = (kind: ChannelKindName): boolean => missingFields(kind, {}).length > 0;

/** Resolves to whether the service accepted the message. */
async function testOnce(io: Io, id: string): Promise<boolean> {
  const { message, success } = await io.call("testChannel", { params: { id } });
  io.output.note(message);
  return success;
}

/** Asks for all settings until homesec accepts them, and stores them. */
async function changeSettings(io: Io, kind: ChannelKindName, id: string): Promise<void> {
  for (;;) {
    const settings = await answersTo(io, missingFields(kind, {}));
    try {
      await io.call("updateChannel", { params: { id }, body: { settings } });
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "invalid") throw error;
      io.output.note(`Not accepted: ${withFieldNames(error.message, kind)}`);
    }
  }
}
