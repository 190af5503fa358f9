import { Problem } from "../../src/contract/problem.ts";
import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { text } from "../input/options.ts";
import type { Io } from "../io.ts";
import { printRecord } from "../output/output.ts";
import { findWebhook, type Webhook } from "./find.ts";
import { addressOf, eventTypeOption, sampleKindOption, webhookBody, webhookOptions } from "./options.ts";
import { webhookArgument } from "./read.ts";

const addWebhook = defineCommand({
  name: "webhooks add",
  summary: "Tell another program what happens",
  description:
    "Adds a webhook. The signing secret is shown this once. An address that is secret itself is read from what is piped in when it is given as -.",
  arguments: {
    name: textArgument("What people call it"),
    target: textArgument("Address that is called, http or https; - reads it from a pipe"),
  },
  options: webhookOptions,
  examples: [
    {
      command: "homesec webhooks add ha http://127.0.0.1:8123/api/webhook/homesec --event-types alert_fired",
      note: "alerts for a program at home",
    },
    { command: "homesec webhooks add chat - --event-types alert_fired --integration-type chat_blocks < chat-url.txt", note: "a chat" },
    {
      command: "homesec webhooks add archive https://example.org/in --event-types event_created --auth bearer --secret-file token.txt",
      note: "with a token",
    },
  ],
  prints: async () => (await import("./view.ts")).newWebhookView,
  async run({ arguments: { name, target }, options }, io) {
    const { newWebhookView } = await import("./view.ts");
    const { event_types, ...body } = await webhookBody(io, options);
    if (event_types === undefined)
      throw new Problem("invalid", "say with --event-types what it is told, such as --event-types alert_fired");
    const webhook = await io.call("createWebhook", { body: { ...body, name, url: await addressOf(io, target), event_types } });
    await printRecord(io.output, webhook, newWebhookView);
    await noteNoChat(io, webhook);
    io.output.note("the signing secret is shown this once: the other program verifies with it who calls");
    return exitCodes.ok;
  },
});

const updateWebhook = defineCommand({
  name: "webhooks update",
  summary: "Change a webhook; what is left out stays",
  arguments: { webhook: webhookArgument },
  options: {
    name: text("name", "What people call it"),
    target: text("address", "Address that is called; - reads it from a pipe"),
    ...webhookOptions,
  },
  examples: [
    { command: "homesec webhooks update chat --event-types alert_fired,system_health_changed", note: "tell it more" },
    {
      command: "homesec webhooks update archive --auth bearer --secret-file token.txt",
      note: "a new token; also needed after a move to another host",
    },
  ],
  prints: async () => (await import("./view.ts")).webhookView,
  async run({ arguments: { webhook }, options: { name, target, ...options } }, io) {
    const { webhookView } = await import("./view.ts");
    const body = { name, url: target === undefined ? undefined : await addressOf(io, target), ...(await webhookBody(io, options)) };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Problem("invalid", "nothing to change; `homesec webhooks update --help` lists what can be");
    }
    const { id } = await findWebhook(io, webhook);
    const changed = await io.call("updateWebhook", { params: { id }, body });
    await printRecord(io.output, changed, webhookView);
    await noteNoChat(io, changed);
    return exitCodes.ok;
  },
});

/** A bot that is not told into which chat it shall write refuses each message. */
async function noteNoChat(io: Io, webhook: Webhook): Promise<void> {
  if (webhook.integration_type !== "bot_markdown" || webhook.payload_template !== null) return;
  const { chatIdHeader, chatIdOf } = await import("../../src/alerting/webhooks/request.ts");
  if (chatIdOf(webhook) !== undefined) return;
  io.output.note(`${webhook.name} names no chat; bots want ?chat_id=... in the address, or the custom header ${chatIdHeader}`);
}

const removeWebhook = defineCommand({
  name: "webhooks remove",
  summary: "Remove a webhook with the history of its deliveries",
  arguments: { webhook: webhookArgument },
  options: yesOption,
  examples: [
    { command: "homesec webhooks remove chat", note: "asks first; `homesec webhooks disable` keeps it" },
    { command: "homesec webhooks remove chat --yes", note: "in a script" },
  ],
  async run({ arguments: { webhook }, options }, io) {
    const { id, name } = await findWebhook(io, webhook);
    await confirm(io, options, `Remove the webhook ${JSON.stringify(name)} with the history of its deliveries?`);
    await io.call("deleteWebhook", { params: { id } });
    io.output.note(`webhook ${name} removed`);
    return exitCodes.ok;
  },
});

function switching(verb: string, operation: "enableWebhook" | "disableWebhook", summary: string, note: string): Command {
  return defineCommand({
    name: `webhooks ${verb}`,
    summary,
    arguments: { webhook: webhookArgument },
    examples: [{ command: `homesec webhooks ${verb} chat`, note }],
    prints: async () => (await import("./view.ts")).webhookView,
    async run({ arguments: { webhook } }, io) {
      const { webhookView } = await import("./view.ts");
      const { id } = await findWebhook(io, webhook);
      await printRecord(io.output, await io.call(operation, { params: { id } }), webhookView);
      return exitCodes.ok;
    },
  });
}

const testWebhook = defineCommand({
  name: "webhooks test",
  summary: "Send a sample now; nothing is recorded",
  description: "Sends a sample to a webhook and shows what is answered. The exit code is 1 when it does not get through.",
  arguments: { webhook: webhookArgument },
  options: { eventType: eventTypeOption, kind: sampleKindOption },
  examples: [
    { command: "homesec webhooks test chat", note: "a sample of the first thing it is told" },
    { command: "homesec webhooks test chat --event-type alert_fired", note: "a sample alert" },
    { command: "homesec webhooks test chat --kind camera_health", note: "a sample incident: a camera that is silent" },
  ],
  prints: async () => (await import("./view.ts")).webhookTestView,
  async run({ arguments: { webhook }, options: { eventType, kind } }, io) {
    const { webhookTestView } = await import("./view.ts");
    const { id, event_types } = await findWebhook(io, webhook);
    const ofKind = kind && ({ camera_health: "event_created", scene_change: "anomaly_detected" } as const)[kind];
    const event_type = eventType ?? ofKind ?? event_types[0] ?? "alert_fired";
    const result = await io.call("testWebhook", { params: { id }, body: { event_type, kind } });
    const details: typeof webhookTestView.details = (test, terminal) => [
      ["sample", { text: kind === undefined ? event_type : `${event_type} (${kind})` }],
      ...webhookTestView.details(test, terminal),
    ];
    await printRecord(io.output, result, { ...webhookTestView, id: () => id, details });
    return result.success ? exitCodes.ok : exitCodes.failure;
  },
});

const retryDelivery = defineCommand({
  name: "webhooks retry",
  summary: "Try a failed delivery again, as a new delivery",
  arguments: { deliveryId: textArgument("Id of the delivery") },
  examples: [{ command: "homesec webhooks retry 7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e21", note: "`homesec webhooks deliveries` has the ids" }],
  prints: async () => (await import("./view.ts")).deliveryView,
  async run({ arguments: { deliveryId } }, io) {
    const { deliveryView } = await import("./view.ts");
    await printRecord(io.output, await io.call("retryWebhookDelivery", { params: { delivery_id: deliveryId } }), deliveryView);
    return exitCodes.ok;
  },
});

const rotateSecret = defineCommand({
  name: "webhooks rotate-secret",
  summary: "Make a new signing secret; for 24 hours both sign",
  arguments: { webhook: webhookArgument },
  examples: [
    { command: "homesec webhooks rotate-secret chat", note: "the new one is shown this once" },
    { command: "homesec webhooks rotate-secret chat -o json --fields signing_secret", note: "for a program" },
  ],
  prints: async () => (await import("./view.ts")).rotatedSecretView,
  async run({ arguments: { webhook } }, io) {
    const { rotatedSecretView } = await import("./view.ts");
    const { id } = await findWebhook(io, webhook);
    await printRecord(io.output, await io.call("rotateWebhookSecret", { params: { id } }), rotatedSecretView);
    return exitCodes.ok;
  },
});

export const changingCommands: readonly Command[] = [
  addWebhook,
  updateWebhook,
  removeWebhook,
  switching("enable", "enableWebhook", "Switch a webhook on", "also after homesec itself switched it off"),
  switching("disable", "disableWebhook", "Switch a webhook off; it stays, and is told nothing", "until it is enabled again"),
  testWebhook,
  retryDelivery,
  rotateSecret,
];
