import { type Command, defineCommand } from "../command.ts";
import { actionCommand, recordCommand, rowsCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { confirm, yesOption } from "../input/confirm.ts";
import { allWebhooks, fullDeliveryId } from "../input/find.ts";
import { flag, idOf, rowLimit, text } from "../input/options.ts";
import { printList, printRecord } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { addWebhook, updateWebhook } from "./change.ts";
import { listenToWebhooks } from "./listen.ts";
import { eventTypeOption, sampleKindOption, webhookArgument } from "./options.ts";
import { deliveryView, deliveryWithAttemptsView, rotatedSecretView, webhookHealthView, webhookTestView, webhookView } from "./view.ts";

const exampleId = "7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e21";

const listWebhooks = rowsCommand({
  name: "webhooks list",
  summary: "List webhooks, newest first",
  options: { enabled_only: flag("Only enabled webhooks") },
  examples: [{ command: "homesec webhooks list", note: "event types and last delivery of each webhook" }],
  view: webhookView,
  async body(io, { options: { enabled_only } }) {
    const webhooks = await allWebhooks(io, enabled_only);
    return { webhooks, total: webhooks.length };
  },
  rows: (body) => body.webhooks,
});

const showWebhook = recordCommand({
  name: "webhooks show",
  summary: "Show one webhook",
  arguments: { webhook: webhookArgument },
  examples: [{ command: "homesec webhooks show chat", note: "its address, event types and delivery counts" }],
  view: webhookView,
  record: (io, input) => io.call("getWebhook", { params: { id: input.arguments.webhook } }),
});

const listDeliveries = defineCommand({
  name: "webhooks deliveries",
  summary: "List deliveries of a webhook, newest first",
  description: "Lists the deliveries of a webhook, newest first, or shows one with all its attempts.",
  arguments: { webhook: webhookArgument },
  options: { delivery: text("id", "Show this delivery (id or its start) with all attempts"), limit: rowLimit(50) },
  examples: [
    { command: "homesec webhooks deliveries chat", note: "delivered, retrying and failed deliveries" },
    { command: `homesec webhooks deliveries chat --delivery ${exampleId}`, note: "all attempts of one delivery" },
  ],
  prints: ({ options: { delivery } }) => (delivery === undefined ? deliveryView : deliveryWithAttemptsView),
  async run({ arguments: { webhook: id }, options: { delivery, limit } }, io) {
    if (delivery !== undefined) {
      const delivery_id = await fullDeliveryId(io, id, delivery);
      await printRecord(io.output, await io.call("getWebhookDelivery", { params: { delivery_id } }), deliveryWithAttemptsView);
      return exitCodes.ok;
    }
    const bodies = pages(limit, async (page) => {
      const query = { limit: page.limit, offset: Number(page.cursor ?? 0) };
      const body = await io.call("listWebhookDeliveries", { params: { id }, query });
      const { total, limit, offset, has_more } = body;
      const next = has_more ? String(query.offset + body.deliveries.length) : null;
      return { ...body, pagination: { total, limit, offset, next_cursor: next, has_more } };
    });
    await printList(
      io.output,
      bodies,
      (body) => body.deliveries,
      deliveryView,
      (all) => {
        const deliveries = all.flatMap((body) => body.deliveries);
        const last = all.at(-1);
        return { deliveries, total: last?.total ?? 0, limit: deliveries.length, offset: 0, has_more: last?.has_more ?? false };
      },
    );
    return exitCodes.ok;
  },
});

const webhookHealth = recordCommand({
  name: "webhooks health",
  summary: "Show webhook deliveries of the last 24 hours",
  description:
    "Shows webhook deliveries of the last 24 hours. Exits with 7 if a webhook is unhealthy: less than half of its deliveries succeeded.",
  examples: [{ command: "homesec webhooks health", note: "do deliveries succeed?" }],
  view: webhookHealthView,
  record: (io) => io.call("getWebhookHealth", {}),
  exitCode: ({ unhealthy_webhooks }) => (unhealthy_webhooks === 0 ? exitCodes.ok : exitCodes.findings),
});

const removeWebhook = actionCommand({
  name: "webhooks remove",
  summary: "Remove a webhook and its delivery history",
  arguments: { webhook: webhookArgument },
  options: yesOption,
  examples: [
    { command: "homesec webhooks remove chat", note: "asks for confirmation; `homesec webhooks disable` keeps it" },
    { command: "homesec webhooks remove chat --yes", note: "in a script" },
  ],
  async act(io, { arguments: { webhook: id }, options }) {
    const { name } = await io.call("getWebhook", { params: { id } });
    await confirm(io, options, `Remove the webhook ${JSON.stringify(name)} and its delivery history?`);
    await io.call("deleteWebhook", { params: { id } });
    return `webhook ${name} removed`;
  },
});

function switchCommand(verb: string, operation: "enableWebhook" | "disableWebhook", summary: string, note: string): Command {
  return recordCommand({
    name: `webhooks ${verb}`,
    summary,
    arguments: { webhook: webhookArgument },
    examples: [{ command: `homesec webhooks ${verb} chat`, note }],
    view: webhookView,
    record: (io, input) => io.call(operation, { params: { id: input.arguments.webhook } }),
  });
}

const testWebhook = defineCommand({
  name: "webhooks test",
  summary: "Send a sample delivery without recording it",
  description: "Sends a sample to a webhook and shows the answer. Exits with 1 if the delivery fails.",
  arguments: { webhook: webhookArgument },
  options: { event_type: eventTypeOption, kind: sampleKindOption },
  examples: [
    { command: "homesec webhooks test chat", note: "a sample of its first event type" },
    { command: "homesec webhooks test chat --event-type alert_fired", note: "a sample alert" },
    { command: "homesec webhooks test chat --kind camera_health", note: "a sample incident of an offline camera" },
  ],
  prints: () => webhookTestView,
  async run({ arguments: { webhook: id }, options: { event_type: chosen, kind } }, io) {
    const { event_types } = await io.call("getWebhook", { params: { id } });
    const typeOfKind = kind && ({ camera_health: "event_created", scene_change: "anomaly_detected" } as const)[kind];
    const event_type = chosen ?? typeOfKind ?? event_types[0] ?? "alert_fired";
    const result = await io.call("testWebhook", { params: { id }, body: { event_type, kind } });
    const details: typeof webhookTestView.details = (test, terminal) => [
      ["sample", { text: kind === undefined ? event_type : `${event_type} (${kind})` }],
      ...webhookTestView.details(test, terminal),
    ];
    await printRecord(io.output, result, { ...webhookTestView, id: () => id, details });
    return result.success ? exitCodes.ok : exitCodes.failure;
  },
});

const retryDelivery = recordCommand({
  name: "webhooks retry",
  summary: "Retry a failed delivery as a new delivery",
  arguments: { delivery_id: idOf("delivery", textArgument("Delivery id, or its start")) },
  examples: [{ command: `homesec webhooks retry ${exampleId}`, note: "`homesec webhooks deliveries` lists the ids" }],
  view: deliveryView,
  record: (io, { arguments: params }) => io.call("retryWebhookDelivery", { params }),
});

const rotateSecret = recordCommand({
  name: "webhooks rotate-secret",
  summary: "Create a new signing secret; both sign for 24 hours",
  arguments: { webhook: webhookArgument },
  examples: [
    { command: "homesec webhooks rotate-secret chat", note: "shows the new secret once" },
    { command: "homesec webhooks rotate-secret chat -o json --fields signing_secret", note: "the secret as JSON" },
  ],
  view: rotatedSecretView,
  record: (io, input) => io.call("rotateWebhookSecret", { params: { id: input.arguments.webhook } }),
});

export const commands: readonly Command[] = [
  listWebhooks,
  showWebhook,
  listDeliveries,
  webhookHealth,
  addWebhook,
  updateWebhook,
  removeWebhook,
  switchCommand("enable", "enableWebhook", "Enable a webhook", "also after homesec disabled it"),
  switchCommand("disable", "disableWebhook", "Disable a webhook; it receives nothing", "until you enable it again"),
  testWebhook,
  retryDelivery,
  rotateSecret,
  listenToWebhooks,
];
