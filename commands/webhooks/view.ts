import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Webhook } from "../input/find.ts";
import type { Cell } from "../output/table.ts";
import { ago, exactly, type Paint, paint, plain, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Delivery = ReplyOf<"listWebhookDeliveries">["deliveries"][number];
type DeliveryWithAttempts = ReplyOf<"getWebhookDelivery">;

const statePaints = { pending: "yellow", retrying: "yellow", success: "green", failed: "red" } as const;
const deliveryState = (status: Delivery["status"] | null): Cell =>
  status === null ? { text: "none yet", paint: "dim" } : { text: status, paint: statePaints[status] };

const switched = ({ enabled }: Webhook): { text: string; paint: Paint } =>
  enabled ? { text: "on", paint: "green" } : { text: "off", paint: "yellow" };

export const webhookView: View<Webhook> = {
  plural: "webhooks",
  fields: fieldsOf("getWebhook"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: id }) },
    { title: "NAME", cell: ({ name }) => ({ text: name }) },
    { title: "STATE", keep: true, cell: switched },
    { title: "LAST", keep: true, cell: (webhook) => deliveryState(webhook.last_delivery_status) },
    { title: "WHEN", cell: ({ last_delivery_at }, terminal) => ({ text: ago(terminal, last_delivery_at) }) },
    { title: "EVENTS", cell: ({ event_types }) => ({ text: event_types.join(", ") }) },
    { title: "ADDRESS", cell: ({ url }) => ({ text: url }) },
  ],
  details: (webhook, terminal) => [
    ["webhook", { text: webhook.id, paint: "bold" }],
    ["name", { text: webhook.name }],
    ["state", webhook.disabled_reason === null ? switched(webhook) : { text: `off: ${webhook.disabled_reason}`, paint: "red" }],
    ["address", { text: webhook.url }],
    ["events", { text: webhook.event_types.join(", ") }],
    ["rules", { text: webhook.rule_ids === null ? "all" : webhook.rule_ids.join(", ") }],
    ["severities", { text: webhook.severities === null ? "all" : webhook.severities.join(", ") }],
    ["format", { text: webhook.payload_template === null ? webhook.integration_type : "custom template" }],
    ["headers", { text: Object.keys(webhook.custom_headers).join(", ") || "none" }],
    ["retries", { text: `${webhook.max_retries}, the first after ${webhook.retry_delay_seconds} s` }],
    ["deliveries", { text: `${webhook.successful_deliveries} of ${webhook.total_deliveries} succeeded` }],
    ["last", deliveryState(webhook.last_delivery_status)],
    ["last attempt", { text: exactly(terminal, webhook.last_delivery_at) }],
  ],
};

/** Includes the signing secret, which is only shown when it is new. */
export const newWebhookView: View<ReplyOf<"createWebhook">> = {
  ...webhookView,
  fields: fieldsOf("createWebhook"),
  details: (webhook, terminal) => [
    ...webhookView.details(webhook, terminal),
    ["signing secret", { text: webhook.signing_secret, paint: "bold" }],
  ],
};

export const rotatedSecretView: View<ReplyOf<"rotateWebhookSecret">> = {
  plural: "secrets",
  fields: fieldsOf("rotateWebhookSecret"),
  id: ({ id }) => id,
  columns: [],
  details: (rotated, terminal) => [
    ["signing secret", { text: rotated.signing_secret, paint: "bold" }],
    ["old one valid until", { text: exactly(terminal, rotated.previous_secret_valid_until) }],
  ],
};

export const webhookTestView: View<ReplyOf<"testWebhook">> = {
  plural: "tests",
  fields: fieldsOf("testWebhook"),
  id: () => "",
  columns: [],
  details: (test) => [
    ["result", test.success ? { text: "delivered", paint: "green" } : { text: "failed", paint: "red" }],
    ["answer", { text: test.status_code === 0 ? "none" : `${test.status_code} after ${test.response_time_ms} ms` }],
    ...(test.error_message === null ? [] : [["error", { text: test.error_message }] as const]),
    ...(test.response_body === "" ? [] : [["body", { text: test.response_body.slice(0, 500) }] as const]),
  ],
};

export const deliveryView: View<Delivery> = {
  plural: "deliveries",
  fields: fieldsOf("retryWebhookDelivery"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: id }) },
    { title: "WHEN", keep: true, cell: ({ created_at }, terminal) => ({ text: ago(terminal, created_at) }) },
    { title: "EVENT", cell: ({ event_type }) => ({ text: event_type }) },
    { title: "STATE", keep: true, cell: ({ status }) => deliveryState(status) },
    { title: "CODE", align: "right", cell: ({ status_code }) => ({ text: String(status_code ?? "-") }) },
    { title: "ATTEMPTS", align: "right", cell: ({ attempt_count }) => ({ text: String(attempt_count) }) },
    { title: "ERROR", cell: ({ error_message }) => ({ text: error_message ?? "" }) },
  ],
  details: (delivery, terminal) => [
    ["delivery", { text: delivery.id, paint: "bold" }],
    ["webhook", { text: delivery.webhook_id }],
    ["event", { text: `${delivery.event_type} ${delivery.event_id}` }],
    ["state", deliveryState(delivery.status)],
    ["attempts", { text: String(delivery.attempt_count) }],
    ["answer", { text: delivery.status_code === null ? "none" : `${delivery.status_code} after ${delivery.response_time_ms ?? "?"} ms` }],
    ["error", { text: delivery.error_message ?? "none" }],
    ["created", { text: exactly(terminal, delivery.created_at) }],
    ["next attempt", { text: delivery.next_retry_at === null ? "none" : exactly(terminal, delivery.next_retry_at) }],
    ["message id", { text: delivery.message_id }],
  ],
};

export const deliveryWithAttemptsView: View<DeliveryWithAttempts> = {
  ...deliveryView,
  fields: fieldsOf("getWebhookDelivery"),
  more: attemptsText,
};

function attemptsText({ attempts }: DeliveryWithAttempts, terminal: TerminalFormat): string {
  return attempts
    .map(({ attempt, started_at, status_code, error, response }) => {
      const outcome = error === null ? paint(terminal, "green", String(status_code)) : paint(terminal, "red", plain(error));
      const answered = response === null || response === "" ? "" : paint(terminal, "dim", `  ${plain(response).slice(0, 200)}`);
      return `${attempt}. ${exactly(terminal, started_at)}  ${outcome}${answered}\n`;
    })
    .join("");
}

type Health = ReplyOf<"getWebhookHealth">;

export const webhookHealthView: View<Health> = {
  plural: "statistics",
  fields: fieldsOf("getWebhookHealth"),
  id: ({ unhealthy_webhooks }) => unhealthy_webhooks,
  columns: [],
  details: (health) => [
    ["webhooks", { text: `${health.total_webhooks}, ${health.enabled_webhooks} enabled` }],
    ["healthy", { text: String(health.healthy_webhooks), ...(health.healthy_webhooks > 0 && { paint: "green" as const }) }],
    ["unhealthy", { text: String(health.unhealthy_webhooks), ...(health.unhealthy_webhooks > 0 && { paint: "red" as const }) }],
    ["last 24 hours", { text: `${health.successful_deliveries_24h} of ${health.total_deliveries_24h} deliveries succeeded` }],
    ["failed", { text: String(health.failed_deliveries_24h) }],
    ["response time", { text: health.average_response_time_ms === null ? "-" : `${Math.round(health.average_response_time_ms)} ms` }],
  ],
};
