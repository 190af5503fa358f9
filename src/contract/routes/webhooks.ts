import { z } from "zod";
import { deliveryStatuses, integrationTypes, outboundEventTypes, ranges, sampleKinds } from "../constants.ts";
import { DeprecationWarning, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { BoolText, EnumText, Instant, IntText, readOnly } from "../values.ts";
import { CustomHeaders, fault, WebhookAuth } from "./webhook-headers.ts";

const EventTypes = z
  .array(EnumText(outboundEventTypes))
  .min(1)
  .superRefine((types, context) => {
    types.forEach((type, at) => {
      if (types.indexOf(type) !== at) context.addIssue(fault("value_error", `${type} is there twice`, type, at));
    });
  });

const WebhookId = z.uuid().meta({ description: "Id of the webhook", example: "b8b10ef2-2e7c-44be-874c-44086bff6636" });

const webhookExample = { event_types: ["alert_fired", "system_health_changed"], custom_headers: { "X-Room": "kitchen" } };

/** An outbound webhook as clients see it: without its secrets. */
export const Webhook = z
  .object({
    id: WebhookId,
    name: z.string().meta({ description: "What people call it", example: "Kitchen light" }),
    url: z.string().meta({ description: "Where it is told", example: "http://192.168.1.20:1880/homesec" }),
    event_types: z.array(z.enum(outboundEventTypes)).meta({ description: "What it is told of" }),
    integration_type: z.enum(integrationTypes).meta({ description: "The form of the messages" }),
    enabled: z.boolean().meta({ description: "Whether it is told", example: true }),
    disabled_reason: z.string().nullable().meta({ description: "Why homesec itself switched it off" }),
    custom_headers: z.record(z.string(), z.string()).meta({ description: "Further headers of each message, by name" }),
    payload_template: z.string().nullable().meta({ description: "The template in place of the whole body; null: the form of its type" }),
    max_retries: z.int().meta({ description: "Retries after the first attempt", example: 4 }),
    retry_delay_seconds: z.int().meta({ description: "Before the first retry; doubled for each one after it", example: 10 }),
    created_at: Instant.meta({ description: "When it was created" }),
    updated_at: Instant.meta({ description: "When it was last changed" }),
    total_deliveries: z.int().meta({ description: "Deliveries that came to their end, well or not", example: 12 }),
    successful_deliveries: z.int().meta({ description: "Deliveries that were taken", example: 11 }),
    last_delivery_at: Instant.nullable().meta({ description: "The last attempt", example: "2026-01-31T22:16:11.470Z" }),
    last_delivery_status: z.enum(deliveryStatuses).nullable().meta({ description: "What it left behind", example: "retrying" }),
  })
  .meta({
    id: "Webhook",
    description: "An address of another program that is told what happens; without its secrets",
    example: webhookExample,
  });

const SigningSecret = z
  .string()
  .meta({ description: "Shown here only: `whsec_` and the key in base64", example: "whsec_QW4gZXhhbXBsZSBvZiBhIGtleSwgbm90IGEga2V5" });

/** What can be said of a webhook. */
const writable = {
  name: z.string().min(1).max(100).meta({ description: "What people call it" }),
  url: z.string().min(1).max(2048).meta({ description: "http or https" }),
  event_types: EventTypes.meta({ description: "What it is told of, at least one" }),
  integration_type: EnumText(integrationTypes).meta({
    description: "The form of the messages: JSON of homesec's own, or as a chat platform takes them",
  }),
  enabled: z.boolean().meta({ description: "Whether it is told" }),
  auth: WebhookAuth.nullable().meta({ description: "How homesec authenticates itself there; null: not at all" }),
  custom_headers: CustomHeaders.nullable().meta({ description: "Further headers of each message; null: none" }),
  payload_template: z.string().max(32_768).nullable().meta({ description: "A template in place of the whole body; docs/templates.md" }),
  max_retries: z
    .int()
    .min(ranges.webhookMaxRetries[0])
    .max(ranges.webhookMaxRetries[1])
    .meta({ description: "Retries after the first attempt" }),
  retry_delay_seconds: z
    .int()
    .min(ranges.webhookRetryDelaySeconds[0])
    .max(ranges.webhookRetryDelaySeconds[1])
    .meta({ description: "Before the first retry; doubled for each one after it" }),
};

export const NewWebhook = z.strictObject({
  ...writable,
  integration_type: writable.integration_type.default("generic"),
  enabled: writable.enabled.default(true),
  auth: writable.auth.optional(),
  custom_headers: writable.custom_headers.optional(),
  payload_template: writable.payload_template.optional(),
  max_retries: writable.max_retries.default(4),
  retry_delay_seconds: writable.retry_delay_seconds.default(10),
});

const writableKeys = [
  ...(["name", "url", "event_types", "integration_type", "enabled", "custom_headers", "payload_template"] as const),
  ...(["max_retries", "retry_delay_seconds"] as const),
];

const WebhookChange = z.strictObject({
  ...z.object(writable).partial().shape,
  // what was answered when it was created can be sent back, with its secret
  ...readOnly(Webhook.extend({ signing_secret: SigningSecret }), writableKeys),
});

const webhookDeliveryExample = {
  event_id: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11",
  error_message: "The target answered 503",
  next_retry_at: "2026-01-31T22:16:22.240Z",
  message_id: "ba969538-e7f6-41a6-8c5d-7d47edd849ee",
};

/** One event on its way to one webhook. */
export const Delivery = z
  .object({
    id: z.uuid().meta({ description: "Id of the delivery", example: "ba969538-e7f6-41a6-8c5d-7d47edd849ee" }),
    webhook_id: WebhookId,
    event_type: z.string().meta({ description: "What the webhook is told", example: "alert_fired" }),
    event_id: z.string().meta({ description: "What it is about: the id of an event, alert or entity, as text" }),
    status: z.enum(deliveryStatuses).meta({ description: "How far it got", example: "retrying" }),
    status_code: z.int().nullable().meta({ description: "Of the last attempt; null when nobody answered", example: 503 }),
    response_time_ms: z.int().nullable().meta({ description: "Of the last attempt; null when nobody answered", example: 51 }),
    error_message: z.string().nullable().meta({ description: "Why the last attempt failed; null when it did not" }),
    attempt_count: z.int().meta({ description: "Attempts made, 0 before the first", example: 1 }),
    next_retry_at: Instant.nullable().meta({ description: "When it is tried again; null unless it is `retrying`" }),
    created_at: Instant.meta({ description: "When what it tells happened, or when it was retried by hand" }),
    delivered_at: Instant.nullable().meta({ description: "When it was taken; null until then" }),
    message_id: z.string().meta({ description: "The `webhook-id` header: the same on each repeat and on a retry by hand" }),
    retry_of: z.string().nullable().meta({ description: "The failed delivery that this one tries again" }),
  })
  .meta({ id: "WebhookDelivery", description: "One event on its way to one webhook", example: webhookDeliveryExample });

const DeliveryWithAttempts = Delivery.extend({
  attempts: z
    .array(
      z.object({
        attempt: z.int().meta({ description: "Which one, from 1" }),
        started_at: Instant.meta({ description: "When it began" }),
        finished_at: Instant.meta({ description: "When it ended, well or not" }),
        status_code: z.int().nullable().meta({ description: "What was answered; null when nobody answered" }),
        error: z.string().nullable().meta({ description: "Why it failed; null when it did not" }),
        response: z.string().nullable().meta({ description: "The beginning of what was answered" }),
      }),
    )
    .meta({ description: "Each attempt, the first one first" }),
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
const base = { tag: "outbound webhooks" } as const;

/** Literal paths stand before `{id}`, so that they win. */
export const webhookRoutes = {
  getWebhookHealth: route("/api/outbound-webhooks/health", {
    ...base,
    method: "get",
    summary: "How the webhooks did in the last 24 hours",
    reply: z
      .object({
        total_webhooks: z.int().meta({ description: "Webhooks that there are", example: 1 }),
        enabled_webhooks: z.int().meta({ description: "Those that are told", example: 1 }),
        healthy_webhooks: z.int().meta({ description: "Enabled, with more than 90 % success", example: 1 }),
        unhealthy_webhooks: z.int().meta({ description: "Enabled, with less than 50 % success" }),
        total_deliveries_24h: z.int().meta({ description: "Deliveries that came to their end, well or not", example: 3 }),
        successful_deliveries_24h: z.int().meta({ description: "Those that were taken", example: 3 }),
        failed_deliveries_24h: z.int().meta({ description: "Those that were given up" }),
        average_response_time_ms: z.number().nullable().meta({ description: "Of those that were answered; null without one" }),
      })
      .meta({ id: "WebhookHealth", description: "How the webhooks did in the last 24 hours", example: { average_response_time_ms: 48.3 } }),
  }),
  getWebhookDelivery: route("/api/outbound-webhooks/deliveries/{delivery_id}", {
    ...base,
    method: "get",
    summary: "One delivery with its attempts",
    params: deliveryParams,
    reply: DeliveryWithAttempts,
    refusals: { 404: "No delivery has this id" },
  }),
  retryWebhookDelivery: route("/api/outbound-webhooks/deliveries/{delivery_id}/retry", {
    ...base,
    method: "post",
    summary: "Try a failed delivery again, as a new delivery",
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
  createWebhook: route("/api/outbound-webhooks", {
    ...base,
    method: "post",
    summary: "Create an outbound webhook",
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
  listWebhooks: route("/api/outbound-webhooks", {
    ...base,
    method: "get",
    summary: "List outbound webhooks, newest first",
    query: z.object({
      enabled_only: BoolText.default(false).meta({ description: "Leave out those that are not told" }),
      limit: window.limit,
      offset: pageQuery.offset.meta({ description: "Deprecated: rows to skip; use `limit`" }),
    }),
    reply: z.object({
      webhooks: z.array(Webhook).meta({ description: "The webhooks of this page" }),
      total: z.int().meta({ description: "Exact number of webhooks that match" }),
      deprecation_warning: DeprecationWarning.optional(),
    }),
  }),
  getWebhook: route("/api/outbound-webhooks/{id}", {
    ...base,
    method: "get",
    summary: "One outbound webhook",
    params,
    reply: Webhook,
    refusals: noSuchWebhook,
  }),
  updateWebhook: route("/api/outbound-webhooks/{id}", {
    ...base,
    method: "patch",
    summary: "Update an outbound webhook",
    params,
    body: WebhookChange,
    reply: Webhook,
    refusals: noSuchWebhook,
    example: { body: { max_retries: 6 }, reply: { max_retries: 6 } },
  }),
  deleteWebhook: route("/api/outbound-webhooks/{id}", {
    ...base,
    method: "delete",
    summary: "Delete an outbound webhook with its history",
    params,
    status: 204,
    refusals: noSuchWebhook,
  }),
  testWebhook: route("/api/outbound-webhooks/{id}/test", {
    ...base,
    method: "post",
    summary: "Send a sample now; nothing is recorded",
    params,
    body: z.strictObject({
      event_type: EnumText(outboundEventTypes).meta({ description: "Of which type the sample is" }),
      kind: EnumText(sampleKinds).optional().meta({
        description: "`event_created` of an incident of a camera instead of something seen; `anomaly_detected` of a scene change",
      }),
    }),
    reply: z
      .object({
        success: z.boolean().meta({ description: "Whether it was taken", example: true }),
        status_code: z.int().meta({ description: "0 when nobody answered", example: 200 }),
        response_time_ms: z.int().meta({ description: "How long the answer took, or until it was given up", example: 44 }),
        response_body: z.string().meta({ description: "The beginning of what was answered", example: "on" }),
        error_message: z.string().nullable().meta({ description: "Why it was not taken; null when it was" }),
      })
      .meta({ id: "WebhookTest", description: "How a webhook took a sample" }),
    refusals: noSuchWebhook,
    slow: true,
  }),
  enableWebhook: route("/api/outbound-webhooks/{id}/enable", {
    ...base,
    method: "post",
    summary: "Enable an outbound webhook",
    params,
    reply: Webhook,
    refusals: noSuchWebhook,
  }),
  disableWebhook: route("/api/outbound-webhooks/{id}/disable", {
    ...base,
    method: "post",
    summary: "Disable an outbound webhook",
    params,
    reply: Webhook,
    refusals: noSuchWebhook,
    example: { reply: { enabled: false } },
  }),
  rotateWebhookSecret: route("/api/outbound-webhooks/{id}/rotate-secret", {
    ...base,
    method: "post",
    summary: "Make a new signing secret; for 24 hours both sign",
    params,
    reply: z
      .object({
        id: WebhookId,
        signing_secret: SigningSecret,
        previous_secret_valid_until: Instant.meta({ description: "Until then the secret before signs as well" }),
      })
      .meta({ id: "RotatedSecret", description: "The new signing secret of a webhook" }),
    refusals: noSuchWebhook,
  }),
  listWebhookDeliveries: route("/api/outbound-webhooks/{id}/deliveries", {
    ...base,
    method: "get",
    summary: "The deliveries of a webhook, newest first",
    params,
    query: z.object(window),
    reply: z.object({
      deliveries: z.array(Delivery).meta({ description: "The deliveries of this page" }),
      total: z.int().meta({ description: "Exact number of deliveries of the webhook", example: 1 }),
      limit: z.int().meta({ description: "The page size that was asked for", example: 50 }),
      offset: z.int().meta({ description: "Rows that were skipped" }),
      has_more: z.boolean().meta({ description: "Whether there is a next page" }),
    }),
    refusals: noSuchWebhook,
  }),
};
