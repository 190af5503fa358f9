import { integrationAliases } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { allWebhooks, getsAlerts, type Webhook } from "../input/find.ts";
import { plain } from "../output/terminal-format.ts";
import { noteMissingChat } from "../webhooks/change.ts";
import type { Setup } from "./questions.ts";

const platforms = [
  { name: "Slack", type: integrationAliases.slack },
  { name: "Discord", type: integrationAliases.discord },
  { name: "Telegram", type: integrationAliases.telegram },
  { name: "Microsoft Teams", type: integrationAliases.teams },
  { name: "Other program", type: "generic" },
] as const;

type Platform = (typeof platforms)[number];

/** The name of the chat that a webhook is for. */
export const platformOf = ({ integration_type }: Webhook): string =>
  platforms.find(({ type }) => type === integration_type)?.name ?? integration_type;

/** Asks for a chat and its address, and adds or changes a webhook. */
export async function askForChat(setup: Setup): Promise<void> {
  const { say, choose, io } = setup;
  const names = platforms.map(({ name }) => (name === "Other program" ? "another program, which takes JSON by HTTP" : name));
  const platform = platforms[await choose("Which chat?", names, 0)] ?? platforms[0];
  const webhooks = await allWebhooks(io);
  const same = webhooks.filter(({ integration_type }) => integration_type === platform.type);
  if (same.length > 0) {
    const choices = ["keep it", ...same.map(({ name }) => `change the address of ${plain(name)}`), `add another one for ${platform.name}`];
    const chosen = await choose(`${platform.name} is set up already.`, choices, 0);
    if (chosen === 0) return;
    const changed = same[chosen - 1];
    if (changed !== undefined) return await changeAddress(setup, changed);
  }
  say("Create an incoming webhook in the chat and copy its address; docs/chat.md shows how. The address is a secret.");
  if (platform.name === "Telegram") say("For Telegram: https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>");
  await askUntilAccepted(setup, async (url) => {
    const known = webhooks.find((webhook) => webhook.url === url);
    if (known !== undefined) await sendAlertsTo(setup, known);
    else await addChat(setup, platform, url, webhooks);
  });
}

/** Asks for the new address of a webhook. */
export async function changeAddress(setup: Setup, { id, name, url: before }: Webhook): Promise<void> {
  await askUntilAccepted(setup, async (url) => {
    if (url === before) return setup.say("The address stays as it is.");
    await noteMissingChat(setup.io, await setup.io.call("updateWebhook", { params: { id }, body: { url } }));
    setup.saved.push(`the address of the webhook ${name}`);
  });
}

async function addChat({ io, say, saved }: Setup, { name: chat, type }: Platform, url: string, webhooks: readonly Webhook[]) {
  const taken = webhooks.map(({ name }) => name);
  const name = taken.includes(chat) ? `${chat} ${taken.filter((each) => each.startsWith(chat)).length + 1}` : chat;
  const webhook = await io.call("createWebhook", { body: { name, url, event_types: ["alert_fired"], integration_type: type } });
  saved.push(`the webhook ${name}`);
  say(`Added as the webhook ${name}, which gets the alerts of every rule.`);
  await noteMissingChat(io, webhook);
}

/** The address exists: a second webhook would send every alert twice. */
async function sendAlertsTo({ io, say, saved, yes }: Setup, webhook: Webhook): Promise<void> {
  const { id, name, event_types } = webhook;
  say(`The webhook ${plain(name)} has this address already.`);
  if (getsAlerts(webhook) || !(await yes("It gets no alerts now. Send it the alerts?", true))) return;
  const types = event_types.includes("alert_fired") ? event_types : [...event_types, "alert_fired" as const];
  await io.call("updateWebhook", { params: { id }, body: { enabled: true, event_types: types } });
  saved.push(`the webhook ${name} gets alerts`);
}

async function askUntilAccepted({ secret, say }: Setup, use: (url: string) => Promise<void>): Promise<void> {
  for (;;) {
    const url = await secret("Address (not shown; Enter for none)?");
    if (url === "") return;
    try {
      return await use(url);
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "invalid") throw error;
      say(`Not accepted: ${error.message.replaceAll(url, "the address")}`);
    }
  }
}
