import { channelForms } from "../../src/contract/channel-fields.ts";
import { type ChannelKindName, channelKinds } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { firstChat, freeName, missingFields, randomSettings } from "../channels/add.ts";
import { plain } from "../output/terminal-format.ts";
import type { Setup } from "./questions.ts";

/** Asks for a service that brings messages to phones and for what it needs, and adds a channel. An empty answer leaves it out. */
export async function askForPhone(setup: Setup): Promise<void> {
  const { say, choose, io, saved } = setup;
  const kinds = channelKinds.filter((kind) => kind in channelForms);
  const titles = kinds.map((kind) => channelForms[kind].title);
  const kind = kinds[await choose("Which service?", titles, 0)] ?? "ntfy";
  say(channelForms[kind].hint);
  for (;;) {
    const settings = await askForSettings(setup, kind);
    if (settings === undefined) return;
    try {
      const body = { name: await freeName(io, kind), kind, settings };
      const channel = await io.call("createChannel", { body });
      saved.push(`the channel ${channel.name}`);
      say(`Added as the channel ${plain(channel.name)}. Rules with the channel push send to it.`);
      if (kind === "ntfy")
        say(`Subscribe to the topic ${channel.settings["topic"]} at ${channel.settings["server"]} in the app before the test.`);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "invalid") throw error;
      say(`Not accepted: ${error.message}`);
    }
  }
}

/** Undefined: an answer was empty. */
async function askForSettings(setup: Setup, kind: ChannelKindName): Promise<Record<string, string> | undefined> {
  const settings: Record<string, string> = randomSettings(kind, {});
  for (const { name, label, isSecret } of missingFields(kind, {})) {
    const answer = isSecret ? await setup.secret(`${label} (not shown; Enter for none)?`) : await setup.text(`${label} (Enter for none)?`);
    if (answer === "") return undefined;
    settings[name] = answer;
  }
  const { token } = settings;
  if (kind !== "telegram" || token === undefined) return settings;
  return { ...settings, chat_id: await setup.unlessStopped(firstChat(setup.io, { token, server: undefined })) };
}
