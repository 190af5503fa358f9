import { Problem } from "../../src/contract/problem.ts";
import { recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import type { Webhook } from "../input/find.ts";
import { text } from "../input/options.ts";
import type { Io } from "../io.ts";
import { addressOf, webhookArgument, webhookBody, webhookOptions } from "./options.ts";
import { newWebhookView, webhookView } from "./view.ts";

export const addWebhook = recordCommand({
  name: "webhooks add",
  summary: "Send events to another program",
  description:
    "Adds a webhook and shows its signing secret once. To keep a secret address out of the shell history, give - and pipe it in.",
  arguments: {
    name: textArgument("Display name"),
    target: textArgument("Target address, http or https; - for stdin"),
  },
  options: webhookOptions,
  examples: [
    {
      command: "homesec webhooks add ha http://127.0.0.1:8123/api/webhook/homesec --event-types alert_fired",
      note: "alerts for Home Assistant",
    },
    {
      command: "homesec webhooks add chat - --event-types alert_fired --integration-type slack < chat-url.txt",
      note: "alerts for Slack; the address stays secret",
    },
    {
      command: "homesec webhooks add archive https://example.org/in --event-types event_created --auth bearer --secret-file token.txt",
      note: "with a bearer token",
    },
  ],
  view: newWebhookView,
  async record(io, { arguments: { name, target }, options }) {
    const { event_types, ...body } = await webhookBody(io, options);
    if (event_types === undefined)
      throw new Problem("invalid", "a webhook needs event types; give --event-types, such as --event-types alert_fired");
    return await io.call("createWebhook", { body: { ...body, name, url: await addressOf(io, target), event_types } });
  },
  async after(io, webhook) {
    await noteMissingChat(io, webhook);
    io.output.note("the signing secret is shown only once; the receiver needs it to verify deliveries");
  },
});

export const updateWebhook = recordCommand({
  name: "webhooks update",
  summary: "Change a webhook; omitted values stay",
  arguments: { webhook: webhookArgument },
  options: {
    name: text("name", "Display name"),
    target: text("address", "Target address; - for stdin"),
    ...webhookOptions,
  },
  examples: [
    { command: "homesec webhooks update chat --event-types alert_fired,system_health_changed", note: "send more event types" },
    { command: "homesec webhooks update chat --severities high,critical --rules 'Person at night'", note: "fewer alerts" },
    {
      command: "homesec webhooks update archive --auth bearer --secret-file token.txt",
      note: "a new token; also needed after a change of host",
    },
  ],
  view: webhookView,
  async record(io, { arguments: { webhook: id }, options: { name, target, ...options } }) {
    const body = { name, url: target === undefined ? undefined : await addressOf(io, target), ...(await webhookBody(io, options)) };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Problem("invalid", "nothing to change; `homesec webhooks update --help` lists the options");
    }
    return await io.call("updateWebhook", { params: { id }, body });
  },
  after: noteMissingChat,
});

/** Notes that a bot webhook names no chat: the bot would refuse each message. */
export async function noteMissingChat(io: Io, webhook: Webhook): Promise<void> {
  if (webhook.integration_type !== "bot_markdown" || webhook.payload_template !== null) return;
  const { chatIdHeader, chatIdOf } = await import("../../src/alerting/webhooks/webhook.ts");
  if (chatIdOf(webhook) !== undefined) return;
  io.output.note(`${webhook.name} names no chat; add ?chat_id=... to the address, or the custom header ${chatIdHeader}`);
}
