// Over 400 lines: one table, in the order of the documentation, which is generated from it.
import * as kinds from "./kinds.ts";
import type { Group, Variable } from "./variable.ts";

const rate = (fallback: number, description: string) =>
  ({ group: "limits", kind: kinds.integer(1, 10_000), default: String(fallback), description }) as const;

const timeout = (group: Group, fallback: string, description: string) =>
  ({ group, kind: kinds.number(0.1, 3600), default: fallback, unit: "seconds", description }) as const;

const modelApi = kinds.oneOf("auto", "completion", "openai", "ollama", "gemini");

/** All configuration variables, keyed by environment name. */
export const variables = {
  HOST: { group: "server", kind: kinds.host, default: "127.0.0.1", description: "Address to listen on" },
  PORT: { group: "server", kind: kinds.integer(0, 65_535), default: "8000", description: "Port to listen on; 0 takes a free one" },
  ROLES: {
    group: "server",
    kind: kinds.roles,
    default: "all",
    description:
      "Tasks of this daemon if several share a database: `api` serves HTTP and WebSocket, `receive` accepts pictures from cameras, `watch` finds pictures, `detect` detects objects, `analyze` judges events, `alert` evaluates rules, `deliver` sends messages, `maintain` runs background tasks (docs/several-machines.md)",
  },
  ALLOWED_HOSTS: {
    group: "server",
    kind: kinds.hosts,
    default: "",
    description: "Accepted names in the Host header, besides IP addresses, localhost, the host name and *.local",
  },
  WEB_ENABLED: { group: "server", kind: kinds.boolean, default: "true", description: "Serve the web page at /" },
  CORS_ORIGINS: { group: "server", kind: kinds.origins, default: "", description: "Origins of web pages that may use the API" },
  TRUSTED_PROXY_IPS: {
    group: "server",
    kind: kinds.addressRanges,
    default: "",
    description: "Proxies whose X-Forwarded-For header names the client",
  },
  WEBSOCKET_IDLE_TIMEOUT_SECONDS: {
    group: "server",
    kind: kinds.number(0.1, 86_400),
    default: "300",
    unit: "seconds",
    description: "Disconnect a WebSocket client that sends nothing for this time",
  },
  TLS_MODE: {
    group: "server",
    kind: kinds.oneOf("disabled", "provided", "self_signed"),
    default: "disabled",
    description:
      "HTTPS with the certificate of TLS_CERT_PATH and TLS_KEY_PATH (`provided`), or with a certificate that homesec creates in DATA_DIR/tls (`self_signed`)",
  },
  TLS_CERT_PATH: {
    group: "server",
    kind: kinds.path,
    description: "PEM file with the certificate chain; homesec uses a renewed certificate without a restart",
  },
  TLS_KEY_PATH: { group: "server", kind: kinds.path, description: "PEM file with the private key" },

  API_KEY_ENABLED: { group: "access", kind: kinds.boolean, default: "false", description: "Require one of API_KEYS for requests" },
  API_KEYS: { group: "access", kind: kinds.secrets, default: "", secret: true, description: "Valid API keys" },
  MEDIA_REQUIRES_KEY: {
    group: "access",
    kind: kinds.boolean,
    default: "false",
    description: "Pictures and videos need a key, a session, or a signed address as in messages; needs API_KEY_ENABLED=true",
  },
  WEBSOCKET_TOKEN: {
    group: "access",
    kind: kinds.text,
    secret: true,
    description: "Token that WebSocket clients must send as the query parameter `token`; `homesec events tail` reads it here too",
  },

  DATA_DIR: {
    group: "storage",
    kind: kinds.path,
    default: ({ isRoot }) => (isRoot ? "/var/lib/homesec" : "~/.local/share/homesec"),
    defaultNote: "`~/.local/share/homesec`; for root `/var/lib/homesec`",
    description: "Folder for the database, key file, logs and thumbnails",
  },
  CAMERA_ROOT: {
    group: "storage",
    kind: kinds.path,
    default: ({ dataDir }) => `${dataDir}/cameras`,
    defaultNote: "`DATA_DIR/cameras`",
    description: "Folder with the upload folders of the cameras; a new folder becomes a new camera",
  },
  SECRET_KEY_PATH: {
    group: "storage",
    kind: kinds.path,
    default: ({ dataDir }) => `${dataDir}/secret.key`,
    defaultNote: "`DATA_DIR/secret.key`",
    description: "Key file that decrypts the secrets in the database; created at the first start",
  },
  CAMERA_EXTRA_ROOTS: { group: "storage", kind: kinds.paths, default: "", description: "Other folders that may contain camera folders" },
  DATABASE_URL: {
    group: "storage",
    kind: kinds.postgresUrl,
    defaultNote: "the embedded PostgreSQL, in DATA_DIR",
    description: "PostgreSQL server to use instead of the embedded one",
  },
  DATABASE_POOL_SIZE: {
    group: "storage",
    kind: kinds.integer(2, 500),
    default: "10",
    description: "Maximum number of database connections",
  },
  REDIS_URL: {
    group: "storage",
    kind: kinds.redisUrl,
    defaultNote: "queues and caches in the process itself",
    description: "Redis or Valkey server for queues, limits and caches",
  },

  RECEIVER_HOST: {
    group: "receivers",
    kind: kinds.host,
    default: "0.0.0.0",
    description: "Address on which the FTP and mail receivers listen; each is off until a camera has a login for it",
  },
  RECEIVER_ADDRESS: {
    group: "receivers",
    kind: kinds.host,
    defaultNote: "the first address of this machine in the home network",
    description: "Address of this machine as cameras reach it; set it in a container or behind NAT",
  },
  FTP_PORT: {
    group: "receivers",
    kind: kinds.integer(0, 65_535),
    default: "2121",
    description: "Port of the FTP receiver; 0 takes a free one",
  },
  FTPS_PORT: {
    group: "receivers",
    kind: kinds.integer(1, 65_535),
    description: "Port for FTP with implicit TLS; explicit TLS works on FTP_PORT. Both need TLS_MODE",
  },
  FTP_PASSIVE_PORTS: {
    group: "receivers",
    kind: kinds.portRange,
    default: "40000-40050",
    description: "Ports for FTP data connections; 0 takes free ones. A firewall and a container must let them through",
  },
  MAIL_PORT: {
    group: "receivers",
    kind: kinds.integer(0, 65_535),
    default: "2525",
    description: "Port of the mail receiver; 0 takes a free one",
  },
  RECEIVER_MAX_FILE_MB: {
    group: "receivers",
    kind: kinds.integer(1, 10_000),
    default: "100",
    description: "Maximum size of a delivered file in MB",
  },
  RECEIVER_MAX_CONNECTIONS: {
    group: "receivers",
    kind: kinds.integer(1, 10_000),
    default: "256",
    description: "Maximum number of connections to each receiver; one address may have a quarter of them",
  },
  RECEIVER_FILES_PER_MINUTE: {
    group: "receivers",
    kind: kinds.integer(1, 1_000_000),
    default: "1200",
    description: "Maximum number of files per minute and camera; more must wait",
  },

  BATCH_WINDOW_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.integer(1, 86_400),
    default: "90",
    unit: "seconds",
    description: "Close a batch this long after its first detection",
  },
  BATCH_IDLE_TIMEOUT_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.integer(1, 86_400),
    default: "30",
    unit: "seconds",
    description: "Close a batch this long after its last detection",
  },
  BATCH_MAX_DETECTIONS: {
    group: "pipeline",
    kind: kinds.integer(1, 100_000),
    default: "500",
    description: "Close a batch with this many detections at once",
  },
  DETECTION_CONFIDENCE_THRESHOLD: {
    group: "pipeline",
    live: true,
    kind: kinds.number(0, 1),
    default: "0.5",
    description: "Discard detections below this confidence",
  },
  PARKED_CLASSES: {
    group: "pipeline",
    kind: kinds.parkedClasses,
    default: "car,truck,bus,bicycle,motorcycle",
    description: "Objects that open no event while they are parked (docs/parked.md), or none",
  },
  PARKED_AFTER_MINUTES: {
    group: "pipeline",
    kind: kinds.integer(20, 1440),
    default: "30",
    unit: "minutes",
    description: "An object is parked if it was in the same place in most pictures for this long",
  },
  DETECT_CONCURRENCY: {
    group: "pipeline",
    kind: kinds.integer(1, 64),
    default: "4",
    description: "Pictures sent to the detector at the same time; at most 2 for the built-in detector",
  },
  ANALYZE_CONCURRENCY: {
    group: "pipeline",
    kind: kinds.integer(1, 64),
    default: "2",
    description: "Events sent to the language model at the same time",
  },
  DELIVER_CONCURRENCY: {
    group: "pipeline",
    kind: kinds.integer(1, 256),
    default: "32",
    description: "Webhooks and channels sent to at the same time; each gets one message at a time",
  },
  CAMERA_OFFLINE_AFTER_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.integer(1, 31_536_000),
    defaultNote: "learned from each camera",
    unit: "seconds",
    description: "A camera without a picture for this time is offline; not set, homesec learns it (docs/camera-health.md)",
  },
  CAMERA_CHECK_SECONDS: {
    group: "pipeline",
    kind: kinds.integer(1, 3600),
    default: "10",
    unit: "seconds",
    description: "Shortest interval between two checks of a camera for a moved view, a black picture or a frozen picture",
  },
  ENRICHMENT_WAIT_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.number(0, 600),
    default: "5",
    unit: "seconds",
    description: "Longest wait of a closed batch for the enrichment of its detections",
  },

  DETECTOR_URL: {
    group: "upstream",
    kind: kinds.detectorUrl,
    defaultNote: "built in",
    description: "Detector service, or several (docs/detection.md)",
  },
  DETECTOR_SECOND_OPINION_BELOW: {
    group: "upstream",
    live: true,
    kind: kinds.number(0, 1),
    default: "0",
    description: "Ask a second detector about pictures whose best detection is below this confidence; 0 for never",
  },
  DETECTOR_MODEL_PATH: {
    group: "upstream",
    kind: kinds.path,
    description: "Custom ONNX YOLO model in place of the bundled one (docs/detection.md)",
  },
  DETECTOR_CONFIDENCE: {
    group: "upstream",
    kind: kinds.number(0, 1),
    default: "0.5",
    description: "Minimum confidence of the built-in detector",
  },
  LANGUAGE_MODEL_URL: { group: "upstream", kind: kinds.serviceUrl, defaultNote: "built in", description: "Language model service" },
  LANGUAGE_MODEL_API: {
    group: "upstream",
    kind: modelApi,
    default: "auto",
    description: "API of the language model; `auto` finds it out (docs/language-models.md)",
  },
  LANGUAGE_MODEL_NAME: {
    group: "upstream",
    kind: kinds.text,
    description: "Name of the language model on its server; needed if the server has several",
  },
  LANGUAGE_MODEL_KEY: { group: "upstream", kind: kinds.text, secret: true, description: "API key of the language model" },
  LANGUAGE_MODEL_KEY_FILE: {
    group: "upstream",
    kind: kinds.path,
    description: "File with nothing but that key, instead of LANGUAGE_MODEL_KEY",
  },
  LANGUAGE_MODEL_PICTURES: {
    group: "upstream",
    kind: kinds.oneOf("off", "local", "anywhere"),
    default: "off",
    description: "Show pictures of events to language models: `local` only to those in your network, `anywhere` also to providers",
  },
  LANGUAGE_MODEL_READ_TIMEOUT: timeout("upstream", "120", "Longest wait for a reply of the language model"),
  LANGUAGE_MODEL_PATIENCE_SECONDS: {
    group: "upstream",
    kind: kinds.integer(0, 86_400),
    default: "120",
    unit: "seconds",
    description: "The built-in scorer judges an event that waited this long for the language model; 0: never",
  },
  LANGUAGE_MODEL_REJUDGE: {
    group: "upstream",
    kind: kinds.boolean,
    default: "false",
    description: "Judge such an event again when the language model answers",
  },
  LANGUAGE_MODEL_FALLBACK_URL: {
    group: "upstream",
    kind: kinds.serviceUrl,
    description: "Second language model, asked while the first does not answer",
  },
  LANGUAGE_MODEL_FALLBACK_API: {
    group: "upstream",
    kind: modelApi,
    default: "auto",
    description: "API of the second language model; `auto` finds it out (docs/language-models.md)",
  },
  LANGUAGE_MODEL_FALLBACK_NAME: {
    group: "upstream",
    kind: kinds.text,
    description: "Name of the second language model on its server; needed if the server has several",
  },
  LANGUAGE_MODEL_FALLBACK_KEY: { group: "upstream", kind: kinds.text, secret: true, description: "API key of the second language model" },
  LANGUAGE_MODEL_FALLBACK_KEY_FILE: {
    group: "upstream",
    kind: kinds.path,
    description: "File with nothing but that key, instead of LANGUAGE_MODEL_FALLBACK_KEY",
  },
  HOME_LANGUAGE: {
    group: "upstream",
    kind: kinds.language,
    defaultNote: "the language of the machine",
    description: "Language in which the language model writes, such as `en` or `de`",
  },
  VISION_URL: { group: "upstream", live: true, kind: kinds.serviceUrl, defaultNote: "built in", description: "Vision service" },
  VISION_READ_TIMEOUT: timeout("upstream", "30", "Longest wait for a reply of the vision service"),
  EMBEDDER_URL: { group: "upstream", live: true, kind: kinds.serviceUrl, defaultNote: "built in", description: "Embedder service" },
  EMBEDDER_READ_TIMEOUT: timeout("upstream", "15", "Longest wait for a reply of the embedder"),
  ENRICHMENT_URL: { group: "upstream", live: true, kind: kinds.serviceUrl, defaultNote: "built in", description: "Enrichment service" },
  ENRICHMENT_READ_TIMEOUT: timeout("upstream", "60", "Longest wait for a reply of the enrichment service"),

  VISION_EXTRACTION_ENABLED: {
    group: "enrichment",
    live: true,
    kind: kinds.boolean,
    default: "true",
    description: "Extract attributes, text and captions",
  },
  REID_ENABLED: {
    group: "enrichment",
    live: true,
    kind: kinds.boolean,
    default: "true",
    description: "Compute embeddings and recognise people and objects seen before",
  },
  SCENE_CHANGE_ENABLED: { group: "enrichment", live: true, kind: kinds.boolean, default: "true", description: "Detect scene changes" },
  REID_SIMILARITY_THRESHOLD: {
    group: "enrichment",
    kind: kinds.number(0, 1),
    default: "0.85",
    description: "Minimum cosine similarity of two detections of the same entity",
  },
  REID_TTL_HOURS: {
    group: "enrichment",
    kind: kinds.number(0.01, 8760),
    default: "24",
    unit: "hours",
    description: "Forget an entity after this time without a sighting",
  },
  REID_MAX_CONCURRENT: {
    group: "enrichment",
    kind: kinds.integer(1, 64),
    default: "4",
    description: "Maximum number of embeddings computed at the same time",
  },
  REID_TIMEOUT_SECONDS: timeout("enrichment", "15", "Longest wait for one re-identification"),

  NOTIFICATION_ENABLED: {
    group: "alerts",
    live: true,
    kind: kinds.boolean,
    default: "true",
    description: "Send alerts by email and webhook",
  },
  ALERT_EXPIRY_HOURS: {
    group: "alerts",
    live: true,
    kind: kinds.number(0.01, 8760),
    default: "24",
    unit: "hours",
    description: "Stop trying to deliver an alert after this time",
  },
  DAILY_SUMMARY_AT: {
    group: "alerts",
    live: true,
    kind: kinds.timeOfDay,
    description: "Send a summary of each day at this local time, such as 07:30; without it, none is sent",
  },
  DAILY_SUMMARY_CHANNELS: {
    group: "alerts",
    live: true,
    kind: kinds.channelNames,
    default: "email,push",
    description: "Channels of the daily summary: email, webhook, push (all phones), all, or names of channels, webhooks and recipients",
  },
  SMTP_HOST: {
    group: "alerts",
    live: true,
    kind: kinds.host,
    description: "Mail server; email alerts also need SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS",
  },
  SMTP_PORT: { group: "alerts", live: true, kind: kinds.integer(1, 65_535), default: "587", description: "Port of the mail server" },
  SMTP_USER: { group: "alerts", live: true, kind: kinds.text, description: "User name at the mail server" },
  SMTP_PASSWORD: { group: "alerts", live: true, kind: kinds.text, secret: true, description: "Password at the mail server" },
  SMTP_FROM_ADDRESS: { group: "alerts", live: true, kind: kinds.sender, description: "Sender of emails" },
  DEFAULT_EMAIL_RECIPIENTS: { group: "alerts", live: true, kind: kinds.emails, default: "", description: "Recipients of emails" },
  DEFAULT_WEBHOOK_URL: {
    group: "alerts",
    live: true,
    kind: kinds.webUrl,
    secret: true,
    description: "URL for the webhook channel; setting it enables the channel",
  },
  PUBLIC_URL: {
    group: "alerts",
    live: true,
    kind: kinds.serviceUrl,
    description: "Public URL of homesec, for links in emails, webhooks and chats",
  },
  WEBHOOK_TIMEOUT_SECONDS: timeout("alerts", "30", "Longest wait for a reply to a webhook"),
  OUTBOUND_ALLOW: {
    group: "alerts",
    kind: kinds.targets,
    default: "",
    description: "Only these targets may receive webhooks (default: all permitted addresses)",
  },

  MQTT_URL: {
    group: "mqtt",
    live: true,
    kind: kinds.mqttUrl,
    description: "MQTT broker, such as `mqtt://homeassistant.local`; homesec appears in Home Assistant (docs/home-assistant.md)",
  },
  MQTT_USERNAME: {
    group: "mqtt",
    live: true,
    kind: kinds.text,
    description: "User name at the broker; not needed if MQTT_URL has one",
  },
  MQTT_PASSWORD: { group: "mqtt", live: true, kind: kinds.text, secret: true, description: "Password at the broker" },
  MQTT_TOPIC_PREFIX: {
    group: "mqtt",
    live: true,
    kind: kinds.topic,
    default: "homesec",
    description: "First part of all topics; each homesec on a broker needs a different one (docs/mqtt.md)",
  },
  MQTT_DISCOVERY_PREFIX: {
    group: "mqtt",
    live: true,
    kind: kinds.topic,
    default: "homeassistant",
    description: "Discovery prefix of Home Assistant, or `none` for no discovery",
  },

  RETENTION_DAYS: {
    group: "retention",
    live: true,
    kind: kinds.integer(1, 3650),
    default: "30",
    unit: "days",
    description: "Delete older events and detections",
  },
  LOG_RETENTION_DAYS: {
    group: "retention",
    live: true,
    kind: kinds.integer(1, 3650),
    default: "7",
    unit: "days",
    description: "Delete older log files",
  },
  DELETE_IMAGES: {
    group: "retention",
    live: true,
    kind: kinds.boolean,
    default: "false",
    description: "Delete the original pictures together with their detections",
  },
  DISK_PRESSURE_DELETE: {
    group: "retention",
    live: true,
    kind: kinds.boolean,
    default: "false",
    description:
      "Delete the oldest data early if less than 5 % of the DATA_DIR disk is free, with DELETE_IMAGES also of the CAMERA_ROOT disk; the last 24 hours stay",
  },

  RATE_LIMIT_ENABLED: {
    group: "limits",
    kind: kinds.boolean,
    default: "true",
    description: "Limit requests, live connections and live messages per client",
  },
  RATE_LIMIT_REQUESTS_PER_MINUTE: {
    group: "limits",
    kind: kinds.integer(1, 1000),
    default: "60",
    description: "Requests per minute without another limit",
  },
  RATE_LIMIT_BURST: { group: "limits", kind: kinds.integer(1, 100), default: "10", description: "Additional such requests in one minute" },
  RATE_LIMIT_MEDIA_REQUESTS_PER_MINUTE: rate(120, "Pictures and videos per minute, plus 10 in one of them"),
  RATE_LIMIT_WEBSOCKET_CONNECTIONS_PER_MINUTE: rate(100, "New WebSocket connections per minute, plus 2 in one of them"),
  RATE_LIMIT_SEARCH_REQUESTS_PER_MINUTE: rate(30, "Searches per minute, plus 10 in one of them"),
  RATE_LIMIT_EXPORT_REQUESTS_PER_MINUTE: rate(10, "Exports per minute"),
  RATE_LIMIT_AI_INFERENCE_REQUESTS_PER_MINUTE: rate(10, "Re-analyses per minute"),
  RATE_LIMIT_AI_INFERENCE_BURST: {
    group: "limits",
    kind: kinds.integer(0, 1000),
    default: "3",
    description: "Additional re-analyses in one minute",
  },
  RATE_LIMIT_BULK_REQUESTS_PER_MINUTE: rate(10, "Bulk requests per minute"),
  RATE_LIMIT_BULK_BURST: {
    group: "limits",
    kind: kinds.integer(0, 1000),
    default: "2",
    description: "Additional bulk requests in one minute",
  },

  HEALTH_CHECK_TIMEOUT_SECONDS: { ...timeout("health", "5", "Longest wait for the database and the store in a health check"), live: true },
  HEALTH_CACHE_TTL_SECONDS: {
    group: "health",
    kind: kinds.number(0, 3600),
    default: "5",
    unit: "seconds",
    description: "Cache a health reply for this time",
  },
  AI_HEALTH_CHECK_TIMEOUT_SECONDS: { ...timeout("health", "3", "Longest wait for an upstream service in a health check"), live: true },
  SELFTEST_INTERVAL_MINUTES: {
    group: "health",
    kind: kinds.integer(0, 10_080),
    default: "0",
    unit: "minutes",
    description: "Interval between self-tests (`homesec selftest`); 0 runs none",
  },
  MAX_CONCURRENT_HEALTH_CHECKS: {
    group: "health",
    kind: kinds.integer(1, 100),
    default: "10",
    description: "Maximum number of health checks at the same time",
  },

  LOG_LEVEL: {
    group: "log",
    live: true,
    kind: kinds.oneOf("debug", "info", "warn", "error"),
    default: "info",
    description: "Least important level that is logged",
  },
  LOG_FORMAT: {
    group: "log",
    kind: kinds.oneOf("pretty", "json"),
    defaultNote: "`pretty` on a terminal, else `json`",
    description: "Format of messages on standard error; log files are always JSON",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;
export const variableNames = Object.keys(variables) as readonly VariableName[];

/** Returns the variable of that name with its general type. */
export function variable(name: VariableName): Variable {
  return variables[name];
}
