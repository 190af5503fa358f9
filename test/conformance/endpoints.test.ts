// Over 400 lines: the table of all endpoints, to be compared with the table of the interface.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { type Environment, environments, type Service } from "./environments.ts";

/** A row of an endpoint table: the request, the status of success, and the keys of the answer that the interface names. */
type Endpoint = readonly [call: string, status: number, keys: readonly string[] | "bytes" | "empty", body?: unknown];

const page = ["items", "pagination"];
const picture = ["preview_url", "blur_hash", "preview_box"];
const detectionKeys = [
  ...["id", "camera_id", "file_path", "file_type", "detected_at", "object_type", "confidence", "thumbnail_path"],
  ...["bbox_x", "bbox_y", "bbox_width", "bbox_height", "event_id", "batch_id", "enrichment", "created_at"],
  ...[...picture, "captured_at", "parked_since", "zones", "mask_id"],
];
const eventKeys = [
  ...[
    "id",
    "kind",
    "batch_id",
    "camera_id",
    "started_at",
    "ended_at",
    "risk_score",
    "risk_level",
    "summary",
    "reasoning",
    "reviewed",
    "notes",
    "pinned",
    "pinned_at",
    "pinned_by",
  ],
  ...[
    "ongoing",
    "detection_count",
    "detection_ids",
    "object_types",
    "thumbnail_url",
    "analysis_status",
    "risk_factors",
    "analyzed_by",
    "created_at",
  ],
  ...["deleted_at", "zones", ...picture],
];
const cameraKeys = [
  ...["camera_id", "name", "folder_path", "status", "last_seen_at", "created_at", "updated_at", "deleted_at"],
  ...["file_pattern", "time_zone", "time_template", "clock_offset_seconds"],
];
const retentionKeys = ["id", "camera_id", "risk_level", "event_days", "original_days", "thumbnail_days", "effective"];
const days = "start_date=2026-01-01&end_date=2026-01-31";
const bulk = ["total", "succeeded", "failed", "results"];
const gpuKeys = [
  ...["recorded_at", "gpu_name", "utilization", "memory_used", "memory_total", "temperature", "power_usage", "inference_fps", "fan_speed"],
  ...["sm_clock", "memory_bandwidth_utilization", "pstate", "throttle_reasons", "power_limit", "sm_clock_max", "compute_processes_count"],
  ...["pcie_replay_counter", "temp_slowdown_threshold", "memory_clock", "memory_clock_max", "pcie_link_gen", "pcie_link_width"],
  ...["pcie_tx_throughput", "pcie_rx_throughput", "encoder_utilization", "decoder_utilization", "bar1_used"],
];
const configKeys = [
  ...[
    "batch_timeout_seconds",
    "batch_idle_timeout_seconds",
    "retention_days",
    "detection_confidence_threshold",
    "detector_second_opinion_below",
    "risk_score_thresholds",
  ],
  ...["detector_url", "vision_url", "embedder_url", "enrichment_url", "vision_extraction_enabled", "reid_enabled", "scene_change_enabled"],
];
const ruleKeys = [
  ...["id", "name", "enabled", "kind", "severity", "risk_threshold", "object_types", "camera_ids", "zones", "not_zones", "min_size"],
  ...["min_confidence", "schedule"],
  ...[
    "modes",
    "dedup_key_template",
    "cooldown_seconds",
    "channels",
    "escalate",
    "digest",
    "immediate",
    "version",
    "created_at",
    "updated_at",
  ],
];
/** The device of `pushDevice`, by the hash of its address. */
const subscription = "14ff1430ee64fa6f1e5dc3cb0c3eb31d";
const pushDevice = {
  endpoint: "https://1.1.1.1/device",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  device: "Chrome on Android",
};
const channelKeys = ["id", "name", "kind", "settings", "secrets", "enabled", "last_attempt_at", "last_error", "created_at", "updated_at"];
const recipientKeys = [
  ...["id", "name", "channels", "hours", "severity", "rule_ids", "critical_anytime", "repeat_minutes", "repeat_times", "escalate_to"],
  ...["escalate_minutes", "enabled", "held_alerts", "held_until", "created_at", "updated_at"],
];
const baselineConfig = ["threshold_stdev", "min_samples", "override_global_config", "global_config"];

const explanation = ["subject", "found", "outcome", "trace", "steps"];
const imageKeys = [
  ...[
    "id",
    "camera_id",
    "path",
    "size_bytes",
    "modified_at",
    "media_type",
    "width",
    "height",
    "sha256",
    "found_by",
    "found_at",
    "taken_at",
    "captured_at",
  ],
  ...[
    "status",
    "reason",
    "detail",
    "blur_hash",
    "same_content_as",
    "detection_count",
    "detector",
    "inference_ms",
    "left_out",
    "started_at",
    "finished_at",
  ],
];
const alertKeys = [
  ...["id", "event_id", "rule_id", "camera_id", "severity", "status", "dedup_key", "created_at", "delivered_at", "acknowledged_at"],
  ...["dismissed_at", "alert_metadata"],
];

const alertmanagerBody: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, "../fixtures/alertmanager/firing-critical.json"), "utf8"),
);

const webhookKeys = [
  ...[
    "id",
    "name",
    "url",
    "event_types",
    "rule_ids",
    "severities",
    "integration_type",
    "enabled",
    "disabled_reason",
    "custom_headers",
    "payload_template",
  ],
  ...["max_retries", "retry_delay_seconds", "created_at", "updated_at", "total_deliveries", "successful_deliveries"],
  ...["last_delivery_at", "last_delivery_status"],
];
const deliveryKeys = [
  ...["id", "webhook_id", "event_type", "event_id", "status", "status_code", "response_time_ms", "error_message", "attempt_count"],
  ...["next_retry_at", "created_at", "delivered_at", "message_id", "retry_of"],
];
const entityKeys = [
  ...["id", "object_type", "first_seen_at", "last_seen_at", "detection_count", "camera_ids", "representative_detection_id"],
  ...["thumbnail_url", "discovered_at", ...picture],
];
const silenceKeys = [
  ...["id", "camera_id", "camera_name", "rule_id", "rule_name", "reason", "status", "created_at", "ends_at", "ended_at"],
  ...["held_back", "created_by", "ended_by"],
];
const modeState = ["mode", "since", "set_by", "source", "pending"];
const modeKeys = ["name", "built_in", "exit_delay_seconds", "entry_delay_seconds", "schedule"];
const newWebhook = { name: "Nobody", url: "http://127.0.0.1:9/", event_types: ["event_created"], max_retries: 0 };

const tables: Readonly<Record<string, readonly Endpoint[]>> = {
  Events: [
    ["GET /api/events?limit=5", 200, page],
    ["GET /api/events/stats", 200, ["total_events", "events_by_risk_level", "risk_distribution", "events_by_camera", "unscored_events"]],
    [`GET /api/events/timeline-summary?${days}`, 200, ["buckets", "total_events"]],
    ["GET /api/events/search?q=somebody", 200, page],
    ["GET /api/events/export?format=csv", 200, "bytes"],
    ["GET /api/events/export?format=xlsx", 200, "bytes"],
    ["GET /api/events/deleted", 200, page],
    ["GET /api/events/{event}", 200, [...eventKeys, "detections", "shown_detection_ids"]],
    ["PATCH /api/events/{event}", 200, [...eventKeys, "detections", "shown_detection_ids"], { reviewed: true, notes: "seen" }],
    ["GET /api/events/{event}/explain", 200, explanation],
    ["POST /api/events/{event}/reanalyze", 202, ["event_id", "status"]],
    ["DELETE /api/events/{event}", 204, "empty"],
    ["POST /api/events/{event}/restore", 200, [...eventKeys, "detections", "shown_detection_ids"]],
    ["POST /api/events/bulk", 207, bulk, { events: [{ camera_id: "yard", started_at: "2026-01-15T12:00:00Z", risk_score: 10 }] }],
    ["PATCH /api/events/bulk", 207, bulk, { events: [{ id: 1, reviewed: true }] }],
    ["DELETE /api/events/bulk", 207, bulk, { event_ids: [999_999] }],
  ],
  Cameras: [
    ["GET /api/cameras", 200, ["cameras", "count", "pagination"]],
    ["POST /api/cameras", 201, cameraKeys, { name: "Side gate" }],
    ["GET /api/cameras/deleted", 200, page],
    [
      "GET /api/cameras/validation/paths",
      200,
      ["base_path", "total_cameras", "valid_count", "invalid_count", "valid_cameras", "invalid_cameras"],
    ],
    ["GET /api/cameras/yard", 200, [...cameraKeys, "preview_url", "blur_hash"]],
    ["PATCH /api/cameras/yard", 200, cameraKeys, { name: "Back yard" }],
    ["GET /api/cameras/yard/snapshot", 200, "bytes"],
    [
      "GET /api/cameras/yard/baseline",
      200,
      [
        ...["camera_id", "camera_name", "baseline_established", "data_points", "hourly_patterns", "daily_patterns"],
        ...["object_baselines", "current_deviation"],
      ],
    ],
    ["GET /api/cameras/yard/baseline/anomalies", 200, ["camera_id", "anomalies", "count", "period_days"]],
    [
      "GET /api/cameras/yard/baseline/activity",
      200,
      ["camera_id", "entries", "total_samples", "peak_hour", "peak_day", "learning_complete", "min_samples_required"],
    ],
    ["GET /api/cameras/yard/baseline/classes", 200, ["camera_id", "entries", "unique_classes", "total_samples", "most_common_class"]],
    ["GET /api/cameras/yard/scene-changes", 200, ["camera_id", "scene_changes", "total_changes", "next_cursor", "has_more"]],
    ["GET /api/zones", 200, ["zones"]],
    ["GET /api/masks", 200, ["masks"]],
    [
      "PUT /api/cameras/yard/zones/driveway",
      200,
      ["camera_id", "name", "points", "private", "doubtful_since", "created_at", "updated_at"],
      { points: [0, 1, 2].map((at) => ({ x: at / 2, y: (at % 2) / 2 })) },
    ],
    ["GET /api/cameras/yard/zones", 200, ["camera_id", "zones"]],
    ["POST /api/cameras/yard/zones/confirm", 200, ["camera_id", "zones"]],
    ["DELETE /api/cameras/yard/zones/driveway", 204, "empty"],
    ["DELETE /api/cameras/side_gate", 204, "empty"],
    ["POST /api/cameras/side_gate/restore", 200, cameraKeys],
  ],
  "Camera baseline configuration": [
    ["GET /api/cameras/yard/baseline/config", 200, baselineConfig],
    ["PUT /api/cameras/yard/baseline/config", 200, baselineConfig, { threshold_stdev: 3, override_global_config: true }],
    ["POST /api/cameras/yard/baseline/reset", 200, ["activity_baselines_deleted", "class_baselines_deleted"]],
  ],
  Detections: [
    ["GET /api/detections", 200, page],
    [
      "GET /api/detections/stats",
      200,
      ["total_detections", "detections_by_class", "object_class_distribution", "average_confidence", "trends"],
    ],
    ["GET /api/detections/search?q=person", 200, page],
    ["GET /api/detections/labels", 200, ["labels"]],
    ["GET /api/detections/{detection}", 200, detectionKeys],
    ["GET /api/detections/{detection}/thumbnail", 200, "bytes"],
    ["GET /api/detections/{detection}/preview", 200, "bytes"],
    [
      "GET /api/detections/{detection}/enrichment",
      200,
      ["detection_id", "enriched_at", "attributes", "ocr", "caption", "entity_id", "has_embedding", "services", "errors"],
    ],
    ["GET /api/detections/{detection}/image", 200, "bytes"],
    ["GET /api/detections/{detection}/video", 400, ["detail"]],
    ["GET /api/detections/{detection}/video/thumbnail", 400, ["detail"]],
    [
      "POST /api/detections/bulk",
      207,
      bulk,
      {
        detections: [{ camera_id: "yard", file_path: "/x.jpg", detected_at: "2026-01-15T12:00:00Z", object_type: "cat", confidence: 0.8 }],
      },
    ],
    ["PATCH /api/detections/bulk", 207, bulk, { detections: [{ id: 1, confidence: 0.95 }] }],
    ["DELETE /api/detections/bulk", 207, bulk, { detection_ids: [999_999] }],
  ],
  System: [
    ["GET /health", 200, ["status", "version"]],
    ["GET /api/health", 200, ["status", "version"]],
    ["GET /api/system/health", 200, ["status", "services", "timestamp", "recent_events"]],
    ["GET /api/system/health/ready", 200, ["ready", "status", "checks", "workers"]],
    ["GET /api/system/health/websocket", 200, ["status", "connected_clients", "broadcaster_running", "last_broadcast"]],
    [
      "GET /api/system/health/full",
      200,
      ["status", "ready", "message", "database", "store", "ai_services", "circuit_breakers", "workers", "timestamp", "version"],
    ],
    ["GET /api/system/monitoring/health", 200, ["status", "checks"]],
    ["GET /api/system/monitoring/targets", 200, ["targets"]],
    ["GET /api/system/gpu/stats", 200, gpuKeys],
    ["GET /api/system/gpu/stats/history", 200, ["items", "interval", "hours", "count"]],
    ["GET /api/system/config", 200, configKeys],
    ["PATCH /api/system/config", 200, configKeys, { retention_days: 31 }],
    ["GET /api/system/config/variables", 200, ["variables", "files"]],
    ["GET /api/system/circuit-breakers", 200, ["breakers"]],
    ["POST /api/system/circuit-breakers/detector/reset", 200, ["name", "previous_state", "state", "message", "timestamp"]],
    ["GET /api/system/workers", 200, ["workers"]],
    ["GET /api/system/daemons", 200, ["daemons"]],
    [
      "GET /api/system/doctor",
      200,
      ["version", "host", "checked_at", "elapsed_ms", "ok", "findings", "skipped", "errors", "warnings", "checks"],
    ],
    ["POST /api/system/models/probe", 200, ["pictures", "models"]],
    ["POST /api/system/selftest", 200, ["status", "message", "started_at", "duration_ms", "timeout_seconds", "detector", "stages"]],
    [
      "GET /api/system/pipeline",
      200,
      ["file_watcher", "detection_worker", "batch_aggregator", "analysis_worker", "degradation", "timestamp"],
    ],
    ["GET /api/system/telemetry", 200, ["queues", "latencies", "websocket", "api_requests", "timestamp"]],
    ["GET /api/system/pipeline-latency", 200, ["watch_to_detect", "detect_to_batch", "batch_to_analyze", "total_pipeline"]],
    [
      "GET /api/system/storage",
      200,
      [
        ...["disk_used_bytes", "disk_total_bytes", "disk_free_bytes", "disk_usage_percent", "thumbnails", "images", "database_bytes"],
        ...["events_count", "detections_count", "gpu_stats_count", "logs_count", "timestamp"],
      ],
    ],
    ["GET /api/dlq/stats", 200, ["queues", "total_count"]],
    [
      "POST /api/system/cleanup?dry_run=true",
      200,
      [
        ...["events_deleted", "detections_deleted", "gpu_stats_deleted", "logs_deleted", "thumbnails_deleted", "images_deleted"],
        ...["space_reclaimed", "retention_days", "dry_run", "timestamp", "by_rule"],
      ],
    ],
    ["GET /api/system/retention", 200, ["retention_days", "delete_images", "rules"]],
    ["PUT /api/system/retention", 200, retentionKeys, { risk_level: "low", event_days: 7 }],
    ["POST /api/system/retention/preview", 422, ["detail"], { event_days: 7 }],
    ["DELETE /api/system/retention/999", 404, ["detail"]],
  ],
  "Ledger and explanations": [
    ["GET /api/images?camera_id=yard&status=processed", 200, page],
    ["GET /api/images/1", 200, imageKeys],
    ["POST /api/images/1/compare", 200, ["image_id", "picture", "width", "height", "a", "b"], { a: "current", b: "current" }],
    ["GET /api/images/1/explain", 200, explanation],
    ["GET /api/images/explain?path=/nowhere/a.jpg", 200, explanation],
    ["GET /api/cameras/yard/explain?at=2026-01-15T12:00:00Z", 200, explanation],
    ["GET /api/alerts/4b0c2f0a-0000-4000-8000-000000000000/explain", 404, ["detail"]],
  ],
  Notifications: [
    [
      "GET /api/notification/config",
      200,
      [
        ...["notification_enabled", "email_configured", "webhook_configured", "push_configured", "available_channels", "smtp_host"],
        ...["smtp_port", "smtp_from_address", "default_webhook_url", "default_email_recipients"],
      ],
    ],
    ["POST /api/notification/test", 200, ["channel", "success", "error", "message"], { channel: "push" }],
  ],
  "Alert receiver": [
    ["POST /api/webhooks/alerts", 200, ["status", "received", "processed", "message"], alertmanagerBody],
    ["GET /api/webhooks/alerts", 200, page],
  ],
  "Outbound webhooks": [
    ["POST /api/outbound-webhooks", 201, [...webhookKeys, "signing_secret"], newWebhook],
    ["GET /api/outbound-webhooks?enabled_only=true", 200, ["webhooks", "total"]],
    ["GET /api/outbound-webhooks/{outbound-webhook}", 200, webhookKeys],
    ["PATCH /api/outbound-webhooks/{outbound-webhook}", 200, webhookKeys, { name: "Somebody" }],
    [
      "POST /api/outbound-webhooks/{outbound-webhook}/test",
      200,
      ["success", "status_code", "response_time_ms", "response_body", "error_message"],
      { event_type: "alert_fired" },
    ],
    ["POST /api/outbound-webhooks/{outbound-webhook}/disable", 200, webhookKeys],
    ["POST /api/outbound-webhooks/{outbound-webhook}/enable", 200, webhookKeys],
    ["POST /api/outbound-webhooks/{outbound-webhook}/rotate-secret", 200, ["id", "signing_secret", "previous_secret_valid_until"]],
    [
      "GET /api/outbound-webhooks/{outbound-webhook}/deliveries?limit=50&offset=0",
      200,
      ["deliveries", "total", "limit", "offset", "has_more"],
    ],
    ["GET /api/outbound-webhooks/deliveries/{delivery}", 200, [...deliveryKeys, "attempts"]],
    ["POST /api/outbound-webhooks/deliveries/{delivery}/retry", 200, deliveryKeys],
    [
      "GET /api/outbound-webhooks/health",
      200,
      [
        ...["total_webhooks", "enabled_webhooks", "healthy_webhooks", "unhealthy_webhooks", "total_deliveries_24h"],
        ...["successful_deliveries_24h", "failed_deliveries_24h", "average_response_time_ms"],
      ],
    ],
    ["DELETE /api/outbound-webhooks/{outbound-webhook}", 204, "empty"],
  ],
  Analytics: [
    [`GET /api/analytics/detection-trends?${days}`, 200, ["data_points", "total_detections", "start_date", "end_date"]],
    [`GET /api/analytics/risk-history?${days}`, 200, ["data_points", "start_date", "end_date"]],
    [`GET /api/analytics/camera-uptime?${days}`, 200, ["cameras", "start_date", "end_date"]],
    [`GET /api/analytics/object-distribution?${days}`, 200, ["object_types", "total_detections", "start_date", "end_date"]],
    [`GET /api/analytics/risk-score-distribution?${days}`, 200, ["buckets", "total_events", "start_date", "end_date", "bucket_size"]],
    [`GET /api/analytics/risk-score-trends?${days}`, 200, ["data_points", "start_date", "end_date"]],
  ],
  Entities: [
    ["GET /api/entities?object_type=person&camera_id=yard", 200, page],
    ["GET /api/entities/{entity}", 200, [...entityKeys, "cameras", "detections"]],
  ],
  "Alert rules": [
    ["GET /api/alerts/rules", 200, page],
    [
      "POST /api/alerts/rules",
      201,
      ruleKeys,
      {
        name: "Night",
        severity: "critical",
        risk_threshold: 70,
        object_types: ["person"],
        schedule: { days: ["saturday"], start_time: "22:00", end_time: "06:00", timezone: "UTC" },
        channels: ["email"],
      },
    ],
    ["GET /api/alerts/rules/{rule}", 200, ruleKeys],
    ["PUT /api/alerts/rules/{rule}", 200, ruleKeys, { enabled: false }],
    [
      "POST /api/alerts/rules/{rule}/test",
      200,
      ["rule_id", "rule_name", "events_tested", "events_matched", "match_rate", "alerts_after_cooldown", "results"],
    ],
    [
      "POST /api/alerts/rules/{rule}/backtest",
      200,
      [...["rule_id", "rule_name", "start_date", "end_date", "timezone", "events_tested", "tested", "events", "against", "difference"]],
    ],
    [
      "POST /api/alerts/rules/backtest",
      200,
      [...["start_date", "end_date", "timezone", "events_tested", "complete", "tested", "alerts", "near_misses", "faults"]],
      { definition: { name: "Night", object_types: ["person"] } },
    ],
    ["DELETE /api/alerts/rules/{rule}", 204, "empty"],
    ["GET /api/alerts?status=delivered&severity=high", 200, page],
    ["GET /api/alerts/{alert}", 200, alertKeys],
    ["POST /api/alerts/{alert}/acknowledge", 200, alertKeys],
    ["POST /api/alerts/{other-alert}/dismiss", 200, alertKeys],
  ],
  Silences: [
    [
      "POST /api/silences",
      201,
      silenceKeys,
      { camera_id: "yard", rule_id: null, duration_seconds: 3_600, reason: "The painters are here" },
    ],
    ["GET /api/silences?status=active", 200, page],
    ["GET /api/silences/{silence}", 200, silenceKeys],
    ["POST /api/silences/{silence}/end", 200, silenceKeys],
    ["POST /api/silences/{silence}/end", 409, ["detail"]],
    ["GET /api/silences/nothing", 404, ["detail"]],
    ["POST /api/silences", 422, ["detail"], { camera_id: "yard", reason: "No end" }],
    ["POST /api/silences", 404, ["detail"], { camera_id: "nowhere", duration_seconds: 60, reason: "No camera" }],
  ],
  Channels: [
    ["POST /api/channels", 201, channelKeys, { name: "Phone", kind: "ntfy", settings: { server: "http://127.0.0.1:9", topic: "home" } }],
    ["POST /api/channels", 409, ["detail"], { name: "phone", kind: "ntfy", settings: { topic: "home" } }],
    ["POST /api/channels", 422, ["detail"], { name: "Other", kind: "ntfy", settings: {} }],
    ["GET /api/channels", 200, ["channels"]],
    ["POST /api/channels/telegram-chats", 422, ["detail"], { token: "not a token" }],
    ["GET /api/push/key", 200, ["public_key"]],
    ["POST /api/push/devices", 201, channelKeys, pushDevice],
    ["POST /api/push/devices", 422, ["detail"], { ...pushDevice, endpoint: "http://1.1.1.1/device" }],
    [`GET /api/push/devices/${subscription}`, 200, channelKeys],
    [`DELETE /api/push/devices/${subscription}`, 204, "empty"],
    [`GET /api/push/devices/${subscription}`, 404, ["detail"]],
    ["POST /api/answers", 403, ["detail"], { token: "not of homesec" }],
    ["GET /api/channels/{channel}", 200, channelKeys],
    ["PATCH /api/channels/{channel}", 200, channelKeys, { enabled: false }],
    ["POST /api/channels/{channel}/test", 200, ["success", "error", "message"]],
    ["DELETE /api/channels/{channel}", 204, "empty"],
    ["GET /api/channels/{channel}", 404, ["detail"]],
  ],
  Recipients: [
    [
      "POST /api/recipients",
      201,
      recipientKeys,
      { name: "Anna", channels: ["anna@example.org"], hours: [{ start_time: "07:00", end_time: "22:00" }] },
    ],
    ["POST /api/recipients", 409, ["detail"], { name: "anna", channels: ["anna@example.org"] }],
    ["POST /api/recipients", 422, ["detail"], { name: "Ben", channels: ["nothing"] }],
    ["GET /api/recipients", 200, ["recipients"]],
    ["GET /api/recipients/{recipient}", 200, recipientKeys],
    ["PATCH /api/recipients/{recipient}", 200, recipientKeys, { severity: "high" }],
    ["DELETE /api/recipients/{recipient}", 204, "empty"],
    ["GET /api/recipients/{recipient}", 404, ["detail"]],
  ],
  Modes: [
    ["GET /api/mode", 200, modeState],
    ["PUT /api/mode", 200, modeState, { mode: "away" }],
    ["PUT /api/mode", 200, modeState, { mode: "away", skip_exit_delay: true }],
    ["GET /api/mode/history", 200, page],
    ["GET /api/modes", 200, ["modes"]],
    ["POST /api/modes", 201, modeKeys, { name: "holiday", exit_delay_seconds: 60 }],
    ["PUT /api/modes/holiday", 200, modeKeys, { schedule: { start_time: "08:00", end_time: "17:00" } }],
    ["DELETE /api/modes/holiday", 204, "empty"],
    ["DELETE /api/modes/home", 409, ["detail"]],
    ["PUT /api/mode", 404, ["detail"], { mode: "holiday" }],
    ["PUT /api/mode", 422, ["detail"], { mode: "Far away" }],
    ["PUT /api/mode", 200, modeState, { mode: "home" }],
  ],
  Documents: [
    ["GET /metrics", 200, "bytes"],
    ["GET /openapi.json", 200, ["openapi", "info", "servers", "tags", "security", "paths", "components"]],
  ],
};

interface Started extends Service {
  /** The values of placeholders such as `{event}`, `{detection}`, `{delivery}`, and `{rule}` once a row has created one. */
  readonly ids: Map<string, string>;
  ask(call: string, body?: unknown): Promise<Response>;
}

/** Starts the service, uploads a picture that becomes an event, and waits for two alerts of that event. */
async function startWithAnEvent({ start, headers, mayBeUnavailable }: Environment): Promise<Started> {
  const service = await start();
  const ids = new Map<string, string>();
  let count = 0;
  const ask = async (call: string, body?: unknown) => {
    const [method = "GET", path = ""] = call.replace(/\{([\w-]+)\}/g, (_, name: string) => ids.get(name) ?? `no-${name}`).split(" ");
    count += 1;
    return await fetch(`${service.url}${path}`, {
      method,
      headers: { ...headers?.(count), ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };
  try {
    const { id } = (await (await ask("POST /api/outbound-webhooks", newWebhook)).json()) as { id: string };
    for (const name of ["An alert to acknowledge", "An alert to dismiss"]) {
      expect((await ask("POST /api/alerts/rules", { name, severity: "high" })).status).toBe(201);
    }
    await renameIn(join(service.cameraRoot, "yard", "a.jpg"), await uniqueJpeg());
    const event = await eventually(async () => {
      const response = await ask("GET /api/events");
      expect(response.status).toBe(200);
      const { items } = (await response.json()) as { items: { id: number; risk_score: number | null; detection_ids: number[] }[] };
      return items.find(({ risk_score }) => risk_score !== null);
    }, patience);
    const failed = await eventually(async () => {
      const response = await ask(`GET /api/outbound-webhooks/${id}/deliveries`);
      const { deliveries } = (await response.json()) as { deliveries: { id: string; status: string }[] };
      return deliveries.find(({ status }) => status === "failed");
    });
    ids.set("delivery", failed.id);
    ids.set("event", String(event.id)).set("detection", String(event.detection_ids[0]));
    const [alert, other] = await eventually(async () => {
      const { items } = (await (await ask("GET /api/alerts")).json()) as { items: { id: string }[] };
      return items.length >= 2 ? items.map(({ id }) => id) : undefined;
    });
    ids.set("alert", String(alert)).set("other-alert", String(other));
    const entity = await eventually(async () => {
      const { items } = (await (await ask("GET /api/entities")).json()) as { items: { id: string }[] };
      return items[0];
    });
    ids.set("entity", entity.id);
    // a service may still be starting before its first request
    if (!mayBeUnavailable) await eventually(async () => (await ask("GET /api/system/health")).status === 200, patience);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return { ...service, ids, ask };
}

/** The first picture may wait until a newly started program has loaded the built-in detector. */
const patience = { timeoutMs: 40_000, what: "an event out of a picture" };
const inAll = process.env["CONFORMANCE"] === "all";

describe.each(environments.filter(({ inEachRun }) => inEachRun || inAll))("$name", (environment) => {
  let started: Started;
  beforeAll(async () => {
    started = await startWithAnEvent(environment);
  });
  afterAll(async () => {
    await started?.stop();
  });

  test("WebSocket: /ws/events begins with `connected`", async () => {
    const headers = environment.headers?.(1_000_000);
    const socket = new WebSocket(`${started.url.replace("http", "ws")}/ws/events${environment.socketQuery ?? ""}`, { headers });
    const [first] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(first.toString())).toMatchObject({ type: "connected" });
    socket.close();
    await once(socket, "close");
  });

  for (const [table, endpoints] of Object.entries(tables)) {
    // in order: some rows prepare the next one, such as a DELETE its restore
    describe.sequential(table, () => {
      for (const [call, status, keys, body] of endpoints) {
        test(`${call.replace(/\?.*/, "")} answers ${status}`, async () => {
          const response = await started.ask(call, body);
          const text = await response.text();
          if (response.status === 503 && environment.mayBeUnavailable?.test(call)) return;
          expect(response.status, text.slice(0, 500)).toBe(status);
          expect(response.headers.get("x-request-id")).toBeTruthy();
          if (status === 201) {
            const noun = call.split("/").at(-1)?.replace(/s$/, "") ?? "";
            started.ids.set(noun, String((JSON.parse(text) as { id?: unknown }).id));
          }
          if (keys === "empty") expect(text).toBe("");
          else if (keys === "bytes") expect(text.length).toBeGreaterThan(0);
          else expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual([...keys].toSorted());
        });
      }
    });
  }
});
