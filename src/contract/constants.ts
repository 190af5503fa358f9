/**
 * The words and limits of the contract, without zod. The schemas use them, and the command line offers them as choices without loading a
 * schema. The order of a list is the same everywhere.
 */

export const alertStatuses = ["pending", "delivered", "acknowledged", "dismissed"] as const;
export const analysisStatuses = ["pending", "completed", "failed"] as const;
export const authTypes = ["none", "bearer", "basic", "header"] as const;
export const bucketSizes = ["hour", "day", "week"] as const;
export const cameraStatuses = ["unknown", "online", "offline", "error"] as const;
/** The statuses that a user may set on a camera. */
export const settableCameraStatuses = ["online", "offline"] as const;
/** The neutral names of channels in rules. `push`: all enabled channels to phones. */
export const channels = ["email", "webhook", "push"] as const;
/** What a rule names to notify every recipient. */
export const allRecipients = "all";
/** The services that channels to phones use. */
export const channelKinds = ["ntfy", "telegram", "pushover", "gotify", "home_assistant", "apprise", "web_push"] as const;
export type ChannelKindName = (typeof channelKinds)[number];
export const circuitStates = ["closed", "open", "half_open"] as const;
/** The groups of the configuration variables, in the order of the documentation. */
export const configGroups = {
  server: "Server",
  access: "Access",
  storage: "Data and engines",
  receivers: "Receivers for cameras",
  pipeline: "Pipeline",
  upstream: "Upstream services",
  enrichment: "Enrichment and re-identification",
  alerts: "Alerts and notifications",
  mqtt: "MQTT and Home Assistant",
  retention: "Retention",
  limits: "Rate limits",
  health: "Health checks",
  log: "Log",
} as const;
/** Where the value of a variable comes from: changed at run time, or from the first place that sets it. */
export const configSources = ["settings", "flag", "environment", ".env", "file", "default"] as const;
/** The groups of the checks of `homesec doctor` in printing order, with their titles. */
export const doctorGroups = {
  daemon: "Daemon",
  program: "Program and machine",
  configuration: "Configuration",
  access: "Access",
  data: "Data folder and disk",
  database: "Database",
  store: "Store",
  upstream: "Upstream services",
  cameras: "Cameras",
  rules: "Rules and alerts",
  notifications: "Mail, webhooks and MQTT",
} as const;
export const doctorStatuses = ["ok", "finding", "skipped"] as const;
/** `error`: something does not work. `warning`: it works, but badly, or not for long. */
export const doctorSeverities = ["warning", "error"] as const;
/** The fields of a rule that are conditions, except the kind. */
export const conditionFields = [
  "risk_threshold",
  "object_types",
  "camera_ids",
  "zones",
  "not_zones",
  "min_size",
  "min_confidence",
  "schedule",
  "modes",
] as const;
export const deliveryStatuses = ["pending", "success", "failed", "retrying"] as const;
/** Distance of an observed value from the baseline, from lowest to highest. */
export const deviations = [
  "far_below_normal",
  "below_normal",
  "normal",
  "slightly_above_normal",
  "above_normal",
  "far_above_normal",
] as const;
/** `event`: camera activity; `camera_health`: an incident of a camera. */
export const eventKinds = ["event", "camera_health"] as const;
/** The values of the filter by kind. */
export const eventKindFilters = [...eventKinds, "all"] as const;
/** Excel takes the comma in countries with a decimal point, else the semicolon. */
export const csvSeparators = [",", ";"] as const;
export const exportFormats = ["csv", "xlsx"] as const;
export const gpuIntervals = ["1m", "5m", "15m", "1h"] as const;
export const imageStatuses = ["pending", "deferred", "processed", "skipped", "failed"] as const;
/** Message formats of webhooks under neutral names: Block Kit chat, embed chat, Markdown bot, Adaptive Cards. */
export const integrationTypes = ["generic", "chat_blocks", "chat_embeds", "bot_markdown", "team_cards"] as const;
/** The services whose messages these formats are; accepted as their names. */
export const integrationAliases = { slack: "chat_blocks", discord: "chat_embeds", telegram: "bot_markdown", teams: "team_cards" } as const;
/** `key`: a program sends it; `invitation`: becomes a session once; `session`: a browser that accepted an invitation. */
export const keyKinds = ["key", "invitation", "session"] as const;
/** What a key may do: everything; see and react to events and alerts; see some cameras. */
export const keyRoles = ["owner", "resident", "guest"] as const;
export type KeyRole = (typeof keyRoles)[number];
/** The modes that every home has, in the order of lists. */
export const builtInModes = ["home", "away", "night", "off"] as const;
/** What switched the mode: a request, or the schedule of a mode. */
export const modeSources = ["request", "schedule"] as const;
export const keyStatuses = ["active", "ended"] as const;
/**
 * Why a part of a detector's answer was left out. The last three cost a detection its box; it is kept without one. The others cost the
 * whole detection.
 */
export const leftOutReasons = [
  "not_an_object",
  "unknown_class",
  "other_class",
  "bad_confidence",
  "below_threshold",
  "second_opinion",
  "too_many",
  "bad_box",
  "empty_box",
  "outside",
] as const;
/** The classes that homesec counts. It leaves out all others. */
export const objectTypes = ["person", "car", "truck", "bus", "dog", "cat", "bird", "bicycle", "motorcycle"] as const;
export const outboundEventTypes = [
  "alert_fired",
  "alert_updated",
  "alert_acknowledged",
  "alert_dismissed",
  "daily_summary",
  "event_created",
  "event_enriched",
  "entity_discovered",
  "anomaly_detected",
  "system_health_changed",
  "batch_analysis_started",
  "batch_analysis_completed",
  "batch_analysis_failed",
] as const;
/** What the file watcher finds below the camera folders and passes over. */
export const passedOverKinds = [
  "unreadable_folder",
  "linked_folder",
  "unreadable_name",
  "unregistered_folder",
  "stray_file",
  "unassigned_file",
  "not_media",
  "side_file",
  "unfinished",
] as const;
/** Statuses of alerts received from Alertmanager. */
export const receivedStatuses = ["firing", "resolved"] as const;
/** The protocols of the receivers. */
export const receiverProtocols = ["ftp", "mail", "http"] as const;
export type ReceiverProtocol = (typeof receiverProtocols)[number];
/** The parts of a mail that rules can match. */
export const mailRuleFields = ["subject", "sender", "text"] as const;
export type MailRuleField = (typeof mailRuleFields)[number];
/** The states of a receiver. */
export const receiverStates = ["off", "listening", "failed", "elsewhere"] as const;
/** `waiting`: for the first picture. */
export const pullStates = ["waiting", "working", "failing"] as const;
export const riskLevels = ["low", "medium", "high", "critical"] as const;
/** Alternative samples for a webhook test. */
export const sampleKinds = ["camera_health", "scene_change"] as const;
export const sceneChangeTypes = ["view_blocked", "view_moved", "view_blurred", "unknown"] as const;
export const severities = ["low", "medium", "high", "critical"] as const;
export const shareStatuses = ["active", "ended"] as const;
export const packStatuses = ["complete", "cut_off"] as const;
export const chainFindingKinds = ["changed", "removed", "added", "replaced", "seal", "link", "missing", "noted"] as const;
export const silenceStatuses = ["active", "ended"] as const;
/** Settings that can change at run time. */
export const configNames = [
  "batch_timeout_seconds",
  "batch_idle_timeout_seconds",
  "retention_days",
  "detection_confidence_threshold",
  "detector_second_opinion_below",
  "detector_url",
  "vision_url",
  "embedder_url",
  "enrichment_url",
  "vision_extraction_enabled",
  "reid_enabled",
  "scene_change_enabled",
  "risk_score_thresholds",
] as const;

/** Smallest and largest value, both inclusive. */
export const ranges = {
  anomalyDays: [1, 90],
  baselineMinSamples: [1, 2_147_483_647],
  baselineThresholdStdev: [0.5, 5],
  batchSeconds: [1, 86_400],
  confidence: [0, 1],
  explainWithinSeconds: [1, 3600],
  gpuHours: [1, 168],
  id: [1, Number.MAX_SAFE_INTEGER],
  pageLimit: [1, 1000],
  pullSeconds: [0.5, 3600],
  pullThresholdPercent: [0, 100],
  retentionDays: [1, 3650],
  riskScore: [0, 100],
  scoreBucketSize: [1, 50],
  webhookMaxRetries: [0, 10],
  webhookRetryDelaySeconds: [1, 3600],
} as const satisfies Readonly<Record<string, readonly [minimum: number, maximum: number]>>;

/** Maximum number of buckets in one timeline. */
export const mostBuckets = 2_000;

/** Maximum validity of a share, in seconds. */
export const longestShareSeconds = 365 * 86_400;

/** Maximum validity of a key that expires, in seconds. */
export const longestKeySeconds = 3_650 * 86_400;

/** Maximum duration of a silence: to suppress alerts permanently, change the rule. */
export const longestSilenceSeconds = 30 * 86_400;

/** Maximum delays of a mode, in seconds. */
export const longestExitDelay = 3600;
export const longestEntryDelay = 600;
