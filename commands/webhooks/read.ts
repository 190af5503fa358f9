import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { flag, rowLimit, text } from "../input/options.ts";
import { printList, printRecord, printRows } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import type { View } from "../output/view.ts";
import { allWebhooks, findWebhook } from "./find.ts";

export const webhookArgument = textArgument("Id of the webhook, or its exact name");

const listWebhooks = defineCommand({
  name: "webhooks list",
  summary: "List the webhooks, newest first",
  options: { enabledOnly: flag("Only those that are on") },
  examples: [{ command: "homesec webhooks list", note: "who is told of what, and how the last delivery went" }],
  prints: async () => (await import("./view.ts")).webhookView,
  async run({ options: { enabledOnly } }, io) {
    const { webhookView } = await import("./view.ts");
    const webhooks = await allWebhooks(io, enabledOnly);
    await printRows(io.output, webhooks, webhookView, { webhooks, total: webhooks.length });
    return exitCodes.ok;
  },
});

const showWebhook = defineCommand({
  name: "webhooks show",
  summary: "Show one webhook",
  arguments: { webhook: webhookArgument },
  examples: [{ command: "homesec webhooks show chat", note: "its address, events, and how its deliveries went" }],
  prints: async () => (await import("./view.ts")).webhookView,
  async run({ arguments: { webhook } }, io) {
    const { webhookView } = await import("./view.ts");
    await printRecord(io.output, await findWebhook(io, webhook), webhookView);
    return exitCodes.ok;
  },
});

const listDeliveries = defineCommand({
  name: "webhooks deliveries",
  summary: "List the deliveries of a webhook, newest first, or show one with its attempts",
  arguments: { webhook: webhookArgument },
  options: {
    delivery: text("id", "Show this delivery, with every attempt and what was answered"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec webhooks deliveries chat", note: "what arrived, what is tried again, and what failed" },
    { command: "homesec webhooks deliveries chat --delivery 7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e21", note: "each attempt of one of them" },
  ],
  prints: async ({ options: { delivery } }) => {
    const { deliveryView, deliveryWithAttemptsView } = await import("./view.ts");
    return delivery === undefined ? deliveryView : deliveryWithAttemptsView;
  },
  async run({ arguments: { webhook }, options: { delivery, limit } }, io) {
    const { deliveryView, deliveryWithAttemptsView } = await import("./view.ts");
    const { id } = await findWebhook(io, webhook);
    if (delivery !== undefined) {
      await printRecord(io.output, await io.call("getWebhookDelivery", { params: { delivery_id: delivery } }), deliveryWithAttemptsView);
      return exitCodes.ok;
    }
    const bodies = pages(limit, async (page) => {
      const query = { limit: page.limit, offset: Number(page.cursor ?? 0) };
      const body = await io.call("listWebhookDeliveries", { params: { id }, query });
      const next = body.has_more ? String(query.offset + body.deliveries.length) : null;
      return {
        ...body,
        pagination: { total: body.total, limit: body.limit, offset: body.offset, next_cursor: next, has_more: body.has_more },
      };
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

type Health = Reply<Routes["getWebhookHealth"]>;

const healthView: View<Health> = {
  plural: "figures",
  fields: [
    ...(["total_webhooks", "enabled_webhooks", "healthy_webhooks", "unhealthy_webhooks", "total_deliveries_24h"] as const),
    ...(["successful_deliveries_24h", "failed_deliveries_24h", "average_response_time_ms"] as const),
  ],
  id: ({ unhealthy_webhooks }) => unhealthy_webhooks,
  columns: [],
  details: (health) => [
    ["webhooks", { text: `${health.total_webhooks}, ${health.enabled_webhooks} of them on` }],
    ["healthy", { text: String(health.healthy_webhooks), ...(health.healthy_webhooks > 0 && { paint: "green" as const }) }],
    ["unhealthy", { text: String(health.unhealthy_webhooks), ...(health.unhealthy_webhooks > 0 && { paint: "red" as const }) }],
    ["last 24 hours", { text: `${health.successful_deliveries_24h} of ${health.total_deliveries_24h} deliveries well` }],
    ["failed", { text: String(health.failed_deliveries_24h) }],
    ["answer after", { text: health.average_response_time_ms === null ? "-" : `${Math.round(health.average_response_time_ms)} ms` }],
  ],
};

const webhookHealth = defineCommand({
  name: "webhooks health",
  summary: "Show how the webhooks did in the last 24 hours",
  description: "Shows how the webhooks did in the last 24 hours. The exit code is 7 when one is unhealthy: less than half went well.",
  examples: [{ command: "homesec webhooks health", note: "do messages get through?" }],
  prints: () => healthView,
  async run(_, io) {
    const health = await io.call("getWebhookHealth", {});
    await printRecord(io.output, health, healthView);
    return health.unhealthy_webhooks === 0 ? exitCodes.ok : exitCodes.findings;
  },
});

export const readingCommands: readonly Command[] = [listWebhooks, showWebhook, listDeliveries, webhookHealth];
