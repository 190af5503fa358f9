import { z } from "zod";
import {
  deliveryStatuses,
  integrationAliases,
  integrationTypes,
  outboundEventTypes,
  ranges,
  sampleKinds,
  severities,
} from "../constants.ts";
import { DeprecationWarning, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { BoolText, DisplayName, EnumText, Instant, IntBetween, IntText, readOnly } from "../values.ts";
import { CustomHeaders, fault, WebhookAuth } from "./webhook-headers.ts";

const route = routesOf("outbound webhooks");

const EventTypes = z
  .array(EnumText(outboundEventTypes))
  .min(1)
  .superRefine((types, context) => {
    types.forEach((type, at) => {
      if (types.indexOf(type) !== at) context.addIssue(fault("value_error", `${type} appears twice`, type, at));
    });
  });

/** Accepts the name of a format, or of the service that it is for, in any case. */
const IntegrationTypeText = z.codec(z.string(), z.enum(integrationTypes), {
  decode: (text) => {
    const name = text.toLowerCase();
    const aliases: Readonly<Record<string, (typeof integrationTypes)[number]>> = integrationAliases;
    return (Object.hasOwn(aliases, name) ? aliases[name] : name) as (typeof integrationTypes)[number];
  },
  encode: (value) => value,
});

const WebhookId = z.uuid().meta({ description: "Id of the webhook", example: "b8b10ef2-2e7c-44be-874c-44086bff6636" });

const webhookExample = { event_types: ["alert_fired", "system_health_changed"], custom_headers: { "X-Room": "kitchen" } };

/** An outbound webhook as clients receive it, without its secrets. */
export const Webhook = z
  .object({
    id: WebhookId,
    name: z.string().meta({ description: "Display name", example: "Kitchen light" }),
    url: z.string().meta({ description: "Target URL", example: "http://192.168.1.20:1880/homesec" }),
    event_types: z.array(z.enum(outboundEventTypes)).meta({ description: "Subscribed event types" }),
    rule_ids: z.array(z.uuid()).nullable().meta({ description: "Only alerts of these rules; null for alerts of all", example: null }),
    severities: z.array(z.enum(severities)).nullable().meta({ description: "Only alerts of these severities; null for all" }),
    integration_type: z.enum(integrationTypes).meta({ description: "Message format" }),
    enabled: z.boolean().meta({ description: "Whether deliveries are sent", example: true }),
    disabled_reason: z.string().nullable().meta({ description: "Why homesec disabled it; null otherwise" }),
    custom_headers: z.record(z.string(), z.string()).meta({ description: "Additional headers of each message, by name" }),
    payload_template: z.string().nullable().meta({ description: "Template of the body; null for the format of its type" }),
    max_retries: z.int().meta({ description: "Retries after the first attempt", example: 4 }),
    retry_delay_seconds: z
      .int()
      .meta({ description: "Delay before the first retry in seconds; each further retry doubles it", example: 10 }),
    created_at: Instant.meta({ description: "Time of creation" }),
    updated_at: Instant.meta({ description: "Time of the last change" }),
    total_deliveries: z.int().meta({ description: "Finished deliveries", example: 12 }),
    successful_deliveries: z.int().meta({ description: "Accepted deliveries", example: 11 }),
    last_delivery_at: Instant.nullable().meta({ description: "Time of the last attempt", example: "2026-01-31T22:16:11.470Z" }),
    last_delivery_status: z.enum(deliveryStatuses).nullable().meta({ description: "Status of the last delivery", example: "retrying" }),
  })
  .meta({
    id: "Webhook",
    description: "An outbound webhook, without its secrets",
    example: webhookExample,
  });

const SigningSecret = z
  .string()
  .meta({ description: "`whsec_` and the key in base64; shown only once", example: "whsec_QW4gZXhhbXBsZSBvZiBhIGtleSwgbm90IGEga2V5" });

/** The writable fields of a webhook. */
const writable = {
  name: DisplayName(100).meta({ description: "Display name" }),
  url: z.string().min(1).max(2048).meta({ description: "Target URL, http or https" }),
  event_types: EventTypes.meta({ description: "Event types to subscribe to, at least one" }),
  rule_ids: z.array(z.uuid()).max(1000).nullable().meta({
    description: "Only alerts of these rules; null or empty for alerts of all. A rule whose `channels` name the webhook is not limited",
  }),
  severities: z.array(EnumText(severities)).nullable().meta({ description: "Only alerts of these severities; null or empty for all" }),
  integration_type: IntegrationTypeText.meta({
    description:
      "Message format: JSON of homesec, or the format of a chat; `slack`, `discord`, `telegram` and `teams` are accepted for `chat_blocks`, `chat_embeds`, `bot_markdown` and `team_cards`",
  }),
  enabled: z.boolean().meta({ description: "Whether deliveries are sent" }),
  auth: WebhookAuth.nullable().meta({ description: "Authentication at the target; null for none" }),
  custom_headers: CustomHeaders.nullable().meta({ description: "Additional headers of each message; null for none" }),
  payload_template: z.string().max(32_768).nullable().meta({ description: "Template of the body; see docs/templates.md" }),
  max_retries: IntBetween(...ranges.webhookMaxRetries).meta({ description: "Retries after the first attempt" }),
  retry_delay_seconds: IntBetween(...ranges.webhookRetryDelaySeconds).meta({
    description: "Delay before the first retry in seconds; each further retry doubles it",
  }),
};

export const NewWebhook = z.strictObject({
  ...writable,
  integration_type: writable.integration_type.default("generic"),
  enabled: writable.enabled.default(true),
  rule_ids: writable.rule_ids.optional(),
  severities: writable.severities.optional(),
  auth: writable.auth.optional(),
  custom_headers: writable.custom_headers.optional(),
  payload_template: writable.payload_template.optional(),
  max_retries: writable.max_retries.default(4),
  retry_delay_seconds: writable.retry_delay_seconds.default(10),
});

const writableKeys = [
  ...(["name", "url", "event_types", "integration_type", "enabled", "custom_headers", "payload_template"] as const),
  ...(["rule_ids", "severities", "max_retries", "retry_delay_seconds"] as const),
];

const WebhookChange = z.strictObject({
  ...z.object(writable).partial().shape,
  // The reply to its creation can be sent back, including its secret
  ...readOnly(Webhook.extend({ signing_secret: SigningSecret }), writableKeys),
});

const webhookDeliveryExample = {
  event_id: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11",
  error_message: "The target answered 503",
  next_retry_at: "2026-01-31T22:16:22.240Z",
  message_id: "ba969538-e7f6-41a6-8c5d-7d47edd849ee",
};

/** Delivery of one event to one webhook. */
export const Delivery = z
  .object({
    id: z.uuid().meta({ description: "Id of the delivery", example: "ba969538-e7f6-41a6-8c5d-7d47edd849ee" }),
    webhook_id: WebhookId,
    event_type: z.string().meta({ description: "Event type", example: "alert_fired" }),
    event_id: z.string().meta({ description: "Subject: id of an event, alert or entity, as text" }),
    status: z.enum(deliveryStatuses).meta({ description: "Delivery status", example: "retrying" }),
    status_code: z.int().nullable().meta({ description: "HTTP status of the last attempt; null without a response", example: 503 }),
    response_time_ms: z
      .int()
      .nullable()
      .meta({ description: "Response time of the last attempt in milliseconds; null without a response", example: 51 }),
    error_message: z.string().nullable().meta({ description: "Error of the last attempt; null when it succeeded" }),
    attempt_count: z.int().meta({ description: "Attempts made, 0 before the first", example: 1 }),
    next_retry_at: Instant.nullable().meta({ description: "Time of the next attempt; null unless `retrying`" }),
    created_at: Instant.meta({ description: "Time of the event, or of the manual retry" }),
    delivered_at: Instant.nullable().meta({ description: "Time of acceptance; null until then" }),
    message_id: z.string().meta({ description: "The `webhook-id` header; all retries, including manual ones, keep it" }),
    retry_of: z.string().nullable().meta({ description: "Failed delivery that this one retries; null otherwise" }),
  })
  .meta({ id: "WebhookDelivery", description: "Delivery of one event to one webhook", example: webhookDeliveryExample });

const DeliveryWithAttempts = Delivery.extend({
  attempts: z
    .array(
      z.object({
        attempt: z.int().meta({ description: "Number of the attempt, from 1" }),
        started_at: Instant.meta({ description: "Start of the attempt" }),
        finished_at: Instant.meta({ description: "End of the attempt" }),
        status_code: z.int().nullable().meta({ description: "HTTP status; null without a response" }),
        error: z.string().nullable().meta({ description: "Error; null on success" }),
        response: z.string().nullable().meta({ description: "Beginning of the response body" }),
      }),
    )
    .meta({ description: "Attempts, oldest first" }),
}).meta({
  id: "WebhookDeliveryWithAttempts",
  description: "A delivery with its attempts",
  example: {
    ...webhookDeliveryExample,
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
});

const params = z.object({ id: z.string().meta({ description: "Id of a webhook, a UUID" }) });
const deliveryParams = z.object({ delivery_id: z.string().meta({ description: "Id of a delivery, a UUID" }) });
const noSuchWebhook = { 404: "No webhook has this id" };
const window = {
  limit: IntText(...ranges.pageLimit)
    .default(50)
    .meta({ description: "Page size, 1 to 1000" }),
  offset: IntText(0, 1_000_000_000).default(0).meta({ description: "Rows to skip" }),
};

/** Literal paths come before `{id}`, so that they take precedence. */
export const webhookRoutes = {
  getWebhookHealth: route.get("/api/outbound-webhooks/health", "Get the health of the webhooks in the last 24 hours", {
    reply: z
      .object({
        total_webhooks: z.int().meta({ description: "Number of webhooks", example: 1 }),
        enabled_webhooks: z.int().meta({ description: "Enabled webhooks", example: 1 }),
        healthy_webhooks: z.int().meta({ description: "Enabled webhooks with more than 90 % success", example: 1 }),
        unhealthy_webhooks: z.int().meta({ description: "Enabled webhooks with less than 50 % success" }),
        total_deliveries_24h: z.int().meta({ description: "Finished deliveries in 24 hours", example: 3 }),
        successful_deliveries_24h: z.int().meta({ description: "Accepted deliveries in 24 hours", example: 3 }),
        failed_deliveries_24h: z.int().meta({ description: "Deliveries that failed permanently" }),
        average_response_time_ms: z
          .number()
          .nullable()
          .meta({ description: "Average response time in milliseconds; null without responses" }),
      })
      .meta({
        id: "WebhookHealth",
        description: "Health of the webhooks in the last 24 hours",
        example: { average_response_time_ms: 48.3 },
      }),
  }),
  getWebhookDelivery: route.get("/api/outbound-webhooks/deliveries/{delivery_id}", "Get a delivery with its attempts", {
    params: deliveryParams,
    reply: DeliveryWithAttempts,
    refusals: { 404: "No delivery has this id" },
  }),
  retryWebhookDelivery: route.post("/api/outbound-webhooks/deliveries/{delivery_id}/retry", "Retry a failed delivery as a new delivery", {
    params: deliveryParams,
    reply: Delivery,
    refusals: { 404: "No delivery has this id", 409: "The delivery has not failed, or its webhook is disabled" },
    example: {
      reply: {
        id: "0e4b5c1d-7a62-4f3e-b1c8-92d6f0a7e354",
        status: "pending",
        status_code: null,
        response_time_ms: null,
        error_message: null,
        attempt_count: 0,
        next_retry_at: null,
        retry_of: "ba969538-e7f6-41a6-8c5d-7d47edd849ee",
      },
    },
  }),
  createWebhook: route.post("/api/outbound-webhooks", "Create an outbound webhook", {
    body: NewWebhook,
    status: 201,
    reply: Webhook.extend({ signing_secret: SigningSecret }).meta({
      id: "NewWebhook",
      description: "A new webhook with its signing secret",
      example: { ...webhookExample, total_deliveries: 0, successful_deliveries: 0, last_delivery_at: null, last_delivery_status: null },
    }),
    example: {
      body: {
        name: "Kitchen light",
        url: "http://192.168.1.20:1880/homesec",
        event_types: ["alert_fired", "system_health_changed"],
        auth: { type: "bearer", token: "what-the-kitchen-light-knows" },
        custom_headers: { "X-Room": "kitchen" },
      },
    },
  }),
  listWebhooks: route.get("/api/outbound-webhooks", "List outbound webhooks, newest first", {
    query: z.object({
      enabled_only: BoolText.default(false).meta({ description: "Leave out disabled webhooks" }),
      limit: window.limit,
      offset: pageQuery.offset.meta({ description: "Deprecated: rows to skip; use `limit`" }),
    }),
    reply: z.object({
      webhooks: z.array(Webhook).meta({ description: "Webhooks of this page" }),
      total: z.int().meta({ description: "Exact number of matching webhooks" }),
      deprecation_warning: DeprecationWarning.optional(),
    }),
  }),
  getWebhook: route.get("/api/outbound-webhooks/{id}", "Get an outbound webhook", { params, reply: Webhook, refusals: noSuchWebhook }),
  updateWebhook: route.patch("/api/outbound-webhooks/{id}", "Update an outbound webhook", {
    params,
    body: WebhookChange,
    reply: Webhook,
    refusals: { ...noSuchWebhook, 409: "A rule names the webhook by its old name" },
    example: { body: { max_retries: 6 }, reply: { max_retries: 6 } },
  }),
  deleteWebhook: route.delete("/api/outbound-webhooks/{id}", "Delete an outbound webhook with its history", {
    params,
    status: 204,
    refusals: { ...noSuchWebhook, 409: "A rule names the webhook" },
  }),
  testWebhook: route.post("/api/outbound-webhooks/{id}/test", "Send a sample now; nothing is recorded", {
    params,
    body: z.strictObject({
      event_type: EnumText(outboundEventTypes).meta({ description: "Event type of the sample" }),
      kind: EnumText(sampleKinds).optional().meta({
        description: "Alternative sample: `camera_health` for `event_created`, `scene_change` for `anomaly_detected`",
      }),
    }),
    reply: z
      .object({
        success: z.boolean().meta({ description: "Whether the target accepted the sample", example: true }),
        status_code: z.int().meta({ description: "HTTP status; 0 without a response", example: 200 }),
        response_time_ms: z
          .int()
          .meta({ description: "Response time in milliseconds, or time until homesec stopped waiting", example: 44 }),
        response_body: z.string().meta({ description: "Beginning of the response body", example: "on" }),
        error_message: z.string().nullable().meta({ description: "Error; null on success" }),
      })
      .meta({ id: "WebhookTest", description: "Result of a test delivery" }),
    refusals: noSuchWebhook,
    slow: true,
  }),
  enableWebhook: route.post("/api/outbound-webhooks/{id}/enable", "Enable an outbound webhook", {
    params,
    reply: Webhook,
    refusals: noSuchWebhook,
  }),
  disableWebhook: route.post("/api/outbound-webhooks/{id}/disable", "Disable an outbound webhook", {
    params,
    reply: Webhook,
    refusals: noSuchWebhook,
    example: { reply: { enabled: false } },
  }),
  rotateWebhookSecret: route.post(
    "/api/outbound-webhooks/{id}/rotate-secret",
    "Rotate the signing secret; the previous one also signs for 24 hours",
    {
      params,
      reply: z
        .object({
          id: WebhookId,
          signing_secret: SigningSecret,
          previous_secret_valid_until: Instant.meta({ description: "The previous secret also signs until this time" }),
        })
        .meta({ id: "RotatedSecret", description: "The new signing secret of a webhook" }),
      refusals: noSuchWebhook,
    },
  ),
  listWebhookDeliveries: route.get("/api/outbound-webhooks/{id}/deliveries", "List the deliveries of a webhook, newest first", {
    params,
    query: z.object(window),
    reply: z.object({
      deliveries: z.array(Delivery).meta({ description: "Deliveries of this page" }),
      total: z.int().meta({ description: "Exact number of deliveries of the webhook", example: 1 }),
      limit: z.int().meta({ description: "Requested page size", example: 50 }),
      offset: z.int().meta({ description: "Skipped rows" }),
      has_more: z.boolean().meta({ description: "Whether there is a next page" }),
    }),
    refusals: noSuchWebhook,
  }),
};
