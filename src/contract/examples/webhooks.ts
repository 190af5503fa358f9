import type { z } from "zod";
import type { Delivery, NewWebhook, Webhook, webhookRoutes } from "../routes/webhooks.ts";
import type { ExamplesOf } from "./example.ts";
import { alertId, deliveryId, now, webhookId } from "./ids.ts";

const url = "http://192.168.1.20:1880/homesec";
const signingSecret = "whsec_QW4gZXhhbXBsZSBvZiBhIGtleSwgbm90IGEga2V5";

const newWebhook = {
  name: "Kitchen light",
  url,
  event_types: ["alert_fired", "system_health_changed"],
  auth: { type: "bearer", token: "what-the-kitchen-light-knows" },
  custom_headers: { "X-Room": "kitchen" },
} satisfies z.input<typeof NewWebhook>;

const webhook = {
  id: webhookId,
  name: newWebhook.name,
  url,
  event_types: ["alert_fired", "system_health_changed"],
  integration_type: "generic",
  enabled: true,
  disabled_reason: null,
  custom_headers: newWebhook.custom_headers,
  payload_template: null,
  max_retries: 4,
  retry_delay_seconds: 10,
  created_at: "2026-01-10T10:05:00.000Z",
  updated_at: "2026-01-10T10:05:00.000Z",
  total_deliveries: 12,
  successful_deliveries: 11,
  last_delivery_at: "2026-01-31T22:16:11.470Z",
  last_delivery_status: "retrying",
} satisfies z.input<typeof Webhook>;

const unused = { total_deliveries: 0, successful_deliveries: 0, last_delivery_at: null, last_delivery_status: null };

/** It tells of the alert, and the kitchen light does not take it at once. */
const delivery = {
  id: deliveryId,
  webhook_id: webhookId,
  event_type: "alert_fired",
  event_id: alertId,
  status: "retrying",
  status_code: 503,
  response_time_ms: 51,
  error_message: "The target answered 503",
  attempt_count: 1,
  next_retry_at: "2026-01-31T22:16:22.240Z",
  created_at: "2026-01-31T22:16:11.372Z",
  delivered_at: null,
  message_id: deliveryId,
  retry_of: null,
} satisfies z.input<typeof Delivery>;

const retry = {
  ...delivery,
  id: "0e4b5c1d-7a62-4f3e-b1c8-92d6f0a7e354",
  status: "pending",
  status_code: null,
  response_time_ms: null,
  error_message: null,
  attempt_count: 0,
  next_retry_at: null,
  created_at: now,
  retry_of: deliveryId,
} satisfies z.input<typeof Delivery>;

export const webhookExamples = {
  getWebhookHealth: {
    reply: {
      total_webhooks: 1,
      enabled_webhooks: 1,
      healthy_webhooks: 1,
      unhealthy_webhooks: 0,
      total_deliveries_24h: 3,
      successful_deliveries_24h: 3,
      failed_deliveries_24h: 0,
      average_response_time_ms: 48.3,
    },
  },
  getWebhookDelivery: {
    reply: {
      ...delivery,
      attempts: [
        {
          attempt: 1,
          started_at: "2026-01-31T22:16:11.419Z",
          finished_at: "2026-01-31T22:16:11.470Z",
          status_code: 503,
          error: "The target answered 503",
          response: "starting",
        },
      ],
    },
  },
  retryWebhookDelivery: { reply: retry },
  createWebhook: { body: newWebhook, reply: { ...webhook, ...unused, signing_secret: signingSecret } },
  listWebhooks: { reply: { webhooks: [webhook], total: 1 } },
  getWebhook: { reply: webhook },
  updateWebhook: {
    body: { max_retries: 6 },
    reply: { ...webhook, max_retries: 6, updated_at: now },
  },
  testWebhook: {
    body: { event_type: "alert_fired" },
    reply: { success: true, status_code: 200, response_time_ms: 44, response_body: "on", error_message: null },
  },
  enableWebhook: { reply: { ...webhook, updated_at: now } },
  disableWebhook: { reply: { ...webhook, enabled: false, updated_at: now } },
  rotateWebhookSecret: {
    reply: { id: webhookId, signing_secret: signingSecret, previous_secret_valid_until: "2026-02-02T08:30:00.000Z" },
  },
  listWebhookDeliveries: { reply: { deliveries: [delivery], total: 1, limit: 50, offset: 0, has_more: false } },
} satisfies ExamplesOf<typeof webhookRoutes>;
