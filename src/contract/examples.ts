/** Bodies and records of alerts and webhooks as they go over the wire, for `openapi.json`. A test holds each to its schema. */

const ruleId = "626c97ff-25c6-4527-8610-39951bbd1b6e";
const alertId = "73c2f4f9-99a8-4ec4-a618-f659590b4ccf";
const webhookId = "b8b10ef2-2e7c-44be-874c-44086bff6636";
const deliveryId = "ba969538-e7f6-41a6-8c5d-7d47edd849ee";
const time = "2026-01-31T22:15:41.120Z";
const schedule = { days: ["monday", "friday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" };

const rule = {
  name: "Person at night",
  severity: "high",
  risk_threshold: 70,
  object_types: ["person"],
  schedule,
  cooldown_seconds: 300,
  channels: ["email", "webhook"],
};

const webhook = {
  name: "Kitchen light",
  url: "http://192.168.1.20:1880/homesec",
  event_types: ["alert_fired", "system_health_changed"],
  integration_type: "generic",
  custom_headers: { "X-Room": "kitchen" },
};

export const examples = {
  newRule: rule,
  ruleChange: { enabled: false, cooldown_seconds: 600 },
  rule: {
    id: ruleId,
    kind: "event",
    ...rule,
    enabled: true,
    camera_ids: null,
    min_confidence: null,
    dedup_key_template: "{camera_id}:{rule_id}",
    escalate: false,
    digest: false,
    version: 1,
    created_at: "2026-01-30T08:00:00.000Z",
    updated_at: "2026-01-30T08:00:00.000Z",
  },
  ruleTest: { limit: 100, start_date: "2026-01-01", at: "2026-01-31T23:00:00Z" },
  backtest: { start_date: "2026-01-01", definition: { risk_threshold: 60 }, against: 1, timezone: "Europe/Berlin" },
  alert: {
    id: alertId,
    event_id: 17,
    rule_id: ruleId,
    camera_id: "front_door",
    severity: "high",
    status: "delivered",
    dedup_key: `front_door:${ruleId}`,
    created_at: "2026-01-31T22:15:40.972Z",
    delivered_at: time,
    acknowledged_at: null,
    dismissed_at: null,
    alert_metadata: {
      rule_name: "Person at night",
      matched_conditions: ["risk_score >= 70", "object_type in [person]"],
      channels: [{ channel: "email", status: "sent", reason: null, attempts: 1, late: false }],
      reason: null,
    },
  },
  newWebhook: { ...webhook, auth: { type: "bearer", token: "the-receiver-knows-it" } },
  webhookChange: { url: "http://192.168.1.21:1880/homesec", max_retries: 6 },
  webhook: {
    id: webhookId,
    ...webhook,
    enabled: true,
    disabled_reason: null,
    payload_template: null,
    max_retries: 4,
    retry_delay_seconds: 10,
    created_at: "2026-01-30T08:00:00.000Z",
    updated_at: "2026-01-30T08:00:00.000Z",
    total_deliveries: 12,
    successful_deliveries: 11,
    last_delivery_at: time,
    last_delivery_status: "success",
  },
  webhookTest: { event_type: "alert_fired" },
  delivery: {
    id: deliveryId,
    webhook_id: webhookId,
    event_type: "alert_fired",
    event_id: alertId,
    status: "retrying",
    status_code: 503,
    response_time_ms: 51,
    error_message: "The target answered 503",
    attempt_count: 1,
    next_retry_at: "2026-01-31T22:15:51.900Z",
    created_at: time,
    delivered_at: null,
    message_id: deliveryId,
    retry_of: null,
  },
  notificationTest: { channel: "email", email_recipients: ["me@example.org"] },
  sentAlerts: {
    version: "4",
    groupKey: '{}:{alertname="DiskFull"}',
    truncatedAlerts: 0,
    status: "firing",
    receiver: "homesec",
    groupLabels: { alertname: "DiskFull" },
    commonLabels: { alertname: "DiskFull", severity: "critical" },
    commonAnnotations: {},
    externalURL: "http://alertmanager.example.org:9093",
    alerts: [
      {
        status: "firing",
        labels: { alertname: "DiskFull", severity: "critical", component: "storage" },
        annotations: { summary: "The disk is full", description: "Less than 1 % is free." },
        startsAt: "2026-01-31T22:15:00Z",
        endsAt: "0001-01-01T00:00:00Z",
        generatorURL: "",
        fingerprint: "c0ffee0123456789",
      },
    ],
  },
} as const;
