import type { Kind } from "./kinds.ts";
import * as kinds from "./kinds.ts";

/** One configuration variable: docs/configuration.md, the parser and `homesec config show` read it. */
export interface Variable<T = unknown> {
  readonly group: Group;
  readonly kind: Kind<T>;
  /** As it would be written. Without one the value is `undefined` until somebody sets it. */
  readonly default?: string | ((known: DefaultContext) => string);
  /** How the documentation says the default, where it is not one fixed text. */
  readonly defaultNote?: string;
  readonly unit?: "seconds" | "minutes" | "hours" | "days";
  /** A running daemon applies changes in `.env` and the `--config` file without a restart. */
  readonly live?: true;
  /** Never shown: not in errors, not by `config show`, not in the log. */
  readonly secret?: true;
  readonly description: string;
}

/** What a computed default may depend on. */
export interface DefaultContext {
  readonly isRoot: boolean;
  /** The value of DATA_DIR. */
  readonly dataDir: string;
}

/** Groups in the order of the documentation. */
export const groups = {
  server: "Server",
  access: "Access",
  storage: "Data and engines",
  pipeline: "Pipeline",
  upstream: "Upstream services",
  enrichment: "Enrichment and re-identification",
  alerts: "Alerts and notifications",
  retention: "Retention",
  limits: "Rate limits",
  health: "Health checks",
  log: "Log",
} as const;
export type Group = keyof typeof groups;

const rate = (fallback: number, description: string) =>
  ({ group: "limits", kind: kinds.integer(1, 10_000), default: String(fallback), description }) as const;

const timeout = (group: Group, fallback: string, description: string) =>
  ({ group, kind: kinds.number(0.1, 3600), default: fallback, unit: "seconds", description }) as const;

/** Every variable that homesec knows, by its name in the environment. */
export const variables = {
  HOST: { group: "server", kind: kinds.host, default: "127.0.0.1", description: "Address to listen on" },
  PORT: { group: "server", kind: kinds.integer(0, 65_535), default: "8000", description: "Port to listen on; 0 takes any free one" },
  ROLES: {
    group: "server",
    kind: kinds.roles,
    default: "all",
    description:
      "What this daemon does, where several share a database (docs/several-machines.md): `api` answers requests and WebSocket clients, `watch` finds pictures, `detect` has them looked at, `analyze` has events judged, `alert` evaluates rules, `deliver` sends, `maintain` keeps house",
  },
  ALLOWED_HOSTS: {
    group: "server",
    kind: kinds.hosts,
    default: "",
    description: "Names in the Host header that are answered besides IP addresses, localhost, the own host name and *.local",
  },
  CORS_ORIGINS: { group: "server", kind: kinds.origins, default: "", description: "Web pages of these origins may use the API" },
  TRUSTED_PROXY_IPS: {
    group: "server",
    kind: kinds.addressRanges,
    default: "",
    description: "Proxies whose X-Forwarded-For names the client",
  },
  WEBSOCKET_IDLE_TIMEOUT_SECONDS: {
    group: "server",
    kind: kinds.number(0.1, 86_400),
    default: "300",
    unit: "seconds",
    description: "A WebSocket client that sends nothing for so long is disconnected",
  },
  TLS_MODE: {
    group: "server",
    kind: kinds.oneOf("disabled", "provided", "self_signed"),
    default: "disabled",
    description:
      "`provided` serves HTTPS with the certificate and key of TLS_CERT_PATH and TLS_KEY_PATH, `self_signed` with ones that homesec makes itself in DATA_DIR/tls",
  },
  TLS_CERT_PATH: { group: "server", kind: kinds.path, description: "Certificate chain, PEM" },
  TLS_KEY_PATH: { group: "server", kind: kinds.path, description: "Private key, PEM" },

  API_KEY_ENABLED: { group: "access", kind: kinds.boolean, default: "false", description: "Requests need one of API_KEYS" },
  API_KEYS: { group: "access", kind: kinds.secrets, default: "", secret: true, description: "The valid keys" },
  WEBSOCKET_TOKEN: {
    group: "access",
    kind: kinds.text,
    secret: true,
    description: "When set, WebSocket clients must send it as the query value `token`; `homesec events tail` reads it here too",
  },

  DATA_DIR: {
    group: "storage",
    kind: kinds.path,
    default: ({ isRoot }) => (isRoot ? "/var/lib/homesec" : "~/.local/share/homesec"),
    defaultNote: "`~/.local/share/homesec`; for root `/var/lib/homesec`",
    description: "What homesec keeps: database, key file, logs, thumbnails",
  },
  CAMERA_ROOT: {
    group: "storage",
    kind: kinds.path,
    default: ({ dataDir }) => `${dataDir}/cameras`,
    defaultNote: "`DATA_DIR/cameras`",
    description: "Cameras upload into the folders below it; a new folder becomes a new camera",
  },
  SECRET_KEY_PATH: {
    group: "storage",
    kind: kinds.path,
    default: ({ dataDir }) => `${dataDir}/secret.key`,
    defaultNote: "`DATA_DIR/secret.key`",
    description: "Key that opens the secrets in the database; made at the first start",
  },
  CAMERA_EXTRA_ROOTS: { group: "storage", kind: kinds.paths, default: "", description: "Other folders that may hold camera folders" },
  DATABASE_URL: {
    group: "storage",
    kind: kinds.postgresUrl,
    defaultNote: "the embedded PostgreSQL, in DATA_DIR",
    description: "A PostgreSQL server to use instead of the embedded one",
  },
  DATABASE_POOL_SIZE: { group: "storage", kind: kinds.integer(2, 500), default: "10", description: "Connections to the database" },
  REDIS_URL: {
    group: "storage",
    kind: kinds.redisUrl,
    defaultNote: "queues and caches in the process itself",
    description: "A Redis or Valkey server for queues, limits and caches",
  },

  BATCH_WINDOW_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.integer(1, 86_400),
    default: "90",
    unit: "seconds",
    description: "A batch of detections closes so long after its first one",
  },
  BATCH_IDLE_TIMEOUT_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.integer(1, 86_400),
    default: "30",
    unit: "seconds",
    description: "A batch of detections closes so long after its last one",
  },
  BATCH_MAX_DETECTIONS: {
    group: "pipeline",
    kind: kinds.integer(1, 100_000),
    default: "500",
    description: "A batch with so many detections closes at once",
  },
  DETECTION_CONFIDENCE_THRESHOLD: {
    group: "pipeline",
    live: true,
    kind: kinds.number(0, 1),
    default: "0.5",
    description: "Detections below this confidence are discarded",
  },
  DETECT_CONCURRENCY: {
    group: "pipeline",
    kind: kinds.integer(1, 64),
    default: "4",
    description: "Pictures at the detector at once; at the built-in one never more than 2, since it looks at one after the other",
  },
  ANALYZE_CONCURRENCY: {
    group: "pipeline",
    kind: kinds.integer(1, 64),
    default: "2",
    description: "Events at the language model at once",
  },
  DELIVER_CONCURRENCY: {
    group: "pipeline",
    kind: kinds.integer(1, 256),
    default: "32",
    description: "Targets of webhooks and notifications that are sent to at once; each gets one message at a time",
  },
  CAMERA_OFFLINE_AFTER_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.integer(1, 31_536_000),
    default: "3600",
    unit: "seconds",
    description: "A camera without a picture for so long is offline",
  },
  CAMERA_CHECK_SECONDS: {
    group: "pipeline",
    kind: kinds.integer(1, 3600),
    default: "10",
    unit: "seconds",
    description: "How often, at most, the newest picture of a camera is looked at for a changed view, blackness and a standstill",
  },
  ENRICHMENT_WAIT_SECONDS: {
    group: "pipeline",
    live: true,
    kind: kinds.number(0, 600),
    default: "5",
    unit: "seconds",
    description: "A closed batch waits at most so long for the enrichment of its detections",
  },

  DETECTOR_URL: { group: "upstream", kind: kinds.serviceUrl, defaultNote: "built in", description: "Detector service" },
  DETECTOR_MODEL_PATH: {
    group: "upstream",
    kind: kinds.path,
    description: "An ONNX YOLO model of your own for the built-in detector, which then finds all nine classes; see docs/detection.md",
  },
  DETECTOR_CONFIDENCE: {
    group: "upstream",
    kind: kinds.number(0, 1),
    default: "0.5",
    description: "The built-in detector reports nothing below this confidence",
  },
  LANGUAGE_MODEL_URL: { group: "upstream", kind: kinds.serviceUrl, defaultNote: "built in", description: "Language-model service" },
  LANGUAGE_MODEL_READ_TIMEOUT: timeout("upstream", "120", "Longest wait for an answer of the language model"),
  VISION_URL: { group: "upstream", live: true, kind: kinds.serviceUrl, defaultNote: "built in", description: "Vision service" },
  VISION_READ_TIMEOUT: timeout("upstream", "30", "Longest wait for an answer of the vision service"),
  EMBEDDER_URL: { group: "upstream", live: true, kind: kinds.serviceUrl, defaultNote: "built in", description: "Embedder service" },
  EMBEDDER_READ_TIMEOUT: timeout("upstream", "15", "Longest wait for an answer of the embedder"),
  ENRICHMENT_URL: { group: "upstream", live: true, kind: kinds.serviceUrl, defaultNote: "built in", description: "Enrichment service" },
  ENRICHMENT_READ_TIMEOUT: timeout("upstream", "60", "Longest wait for an answer of the enrichment service"),

  VISION_EXTRACTION_ENABLED: {
    group: "enrichment",
    live: true,
    kind: kinds.boolean,
    default: "true",
    description: "Attributes, text in the picture and captions",
  },
  REID_ENABLED: { group: "enrichment", live: true, kind: kinds.boolean, default: "true", description: "Embeddings and re-identification" },
  SCENE_CHANGE_ENABLED: {
    group: "enrichment",
    live: true,
    kind: kinds.boolean,
    default: "true",
    description: "Detection of scene changes",
  },
  REID_SIMILARITY_THRESHOLD: {
    group: "enrichment",
    kind: kinds.number(0, 1),
    default: "0.85",
    description: "Cosine similarity from which two detections are the same entity",
  },
  REID_TTL_HOURS: {
    group: "enrichment",
    kind: kinds.number(0.01, 8760),
    default: "24",
    unit: "hours",
    description: "How long an entity is remembered",
  },
  REID_MAX_CONCURRENT: { group: "enrichment", kind: kinds.integer(1, 64), default: "4", description: "Embeddings made at once" },
  REID_TIMEOUT_SECONDS: timeout("enrichment", "15", "Longest wait for one re-identification"),

  NOTIFICATION_ENABLED: {
    group: "alerts",
    live: true,
    kind: kinds.boolean,
    default: "true",
    description: "Alerts are sent by mail and webhook",
  },
  ALERT_EXPIRY_HOURS: {
    group: "alerts",
    live: true,
    kind: kinds.number(0.01, 8760),
    default: "24",
    unit: "hours",
    description: "An alert that could not be delivered for so long is given up",
  },
  SMTP_HOST: {
    group: "alerts",
    live: true,
    kind: kinds.host,
    description: "Mail server; mails for alerts need SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS too",
  },
  SMTP_PORT: { group: "alerts", live: true, kind: kinds.integer(1, 65_535), default: "587", description: "Port of the mail server" },
  SMTP_USER: { group: "alerts", live: true, kind: kinds.text, description: "User at the mail server" },
  SMTP_PASSWORD: { group: "alerts", live: true, kind: kinds.text, secret: true, description: "Password at the mail server" },
  SMTP_FROM_ADDRESS: { group: "alerts", live: true, kind: kinds.sender, description: "Sender of the mails" },
  DEFAULT_EMAIL_RECIPIENTS: {
    group: "alerts",
    live: true,
    kind: kinds.emails,
    default: "",
    description: "Who gets the mails; commas for several",
  },
  DEFAULT_WEBHOOK_URL: {
    group: "alerts",
    live: true,
    kind: kinds.webUrl,
    secret: true,
    description: "Where the webhook channel posts; it switches that channel on",
  },
  PUBLIC_URL: {
    group: "alerts",
    live: true,
    kind: kinds.serviceUrl,
    description: "Address under which people reach homesec; mails link to it",
  },
  WEBHOOK_TIMEOUT_SECONDS: timeout("alerts", "30", "Longest wait for the target of a webhook"),
  OUTBOUND_ALLOW: {
    group: "alerts",
    kind: kinds.targets,
    default: "",
    description: "When set, webhooks may go to these targets only",
  },

  RETENTION_DAYS: {
    group: "retention",
    live: true,
    kind: kinds.integer(1, 3650),
    default: "30",
    unit: "days",
    description: "Events and detections older than this are deleted",
  },
  LOG_RETENTION_DAYS: {
    group: "retention",
    live: true,
    kind: kinds.integer(1, 3650),
    default: "7",
    unit: "days",
    description: "Log files older than this are deleted",
  },
  DELETE_IMAGES: {
    group: "retention",
    live: true,
    kind: kinds.boolean,
    default: "false",
    description: "The original pictures go with what was detected in them",
  },
  DISK_PRESSURE_DELETE: {
    group: "retention",
    live: true,
    kind: kinds.boolean,
    default: "false",
    description:
      "The oldest data goes early when less than 5 % of the disk with DATA_DIR is free, with DELETE_IMAGES also when less is of that with CAMERA_ROOT; never that of the last 24 hours",
  },

  RATE_LIMIT_ENABLED: { group: "limits", kind: kinds.boolean, default: "true", description: "Requests are limited per client" },
  RATE_LIMIT_REQUESTS_PER_MINUTE: {
    group: "limits",
    kind: kinds.integer(1, 1000),
    default: "60",
    description: "Requests per minute where no other limit is named",
  },
  RATE_LIMIT_BURST: {
    group: "limits",
    kind: kinds.integer(1, 100),
    default: "10",
    description: "How many more of them pass in one minute",
  },
  RATE_LIMIT_MEDIA_REQUESTS_PER_MINUTE: rate(120, "Pictures and videos per minute; 10 more in one of them"),
  RATE_LIMIT_WEBSOCKET_CONNECTIONS_PER_MINUTE: rate(100, "New WebSocket connections per minute; 2 more in one of them"),
  RATE_LIMIT_SEARCH_REQUESTS_PER_MINUTE: rate(30, "Searches per minute; 10 more in one of them"),
  RATE_LIMIT_EXPORT_REQUESTS_PER_MINUTE: rate(10, "Exports per minute"),
  RATE_LIMIT_AI_INFERENCE_REQUESTS_PER_MINUTE: rate(10, "Re-analyses per minute"),
  RATE_LIMIT_AI_INFERENCE_BURST: {
    group: "limits",
    kind: kinds.integer(0, 1000),
    default: "3",
    description: "How many more of them pass in one minute",
  },
  RATE_LIMIT_BULK_REQUESTS_PER_MINUTE: rate(10, "Bulk requests per minute"),
  RATE_LIMIT_BULK_BURST: {
    group: "limits",
    kind: kinds.integer(0, 1000),
    default: "2",
    description: "How many more of them pass in one minute",
  },

  HEALTH_CHECK_TIMEOUT_SECONDS: { ...timeout("health", "5", "Longest wait for the database and the store in a health check"), live: true },
  HEALTH_CACHE_TTL_SECONDS: {
    group: "health",
    kind: kinds.number(0, 3600),
    default: "5",
    unit: "seconds",
    description: "A health answer is repeated for so long",
  },
  AI_HEALTH_CHECK_TIMEOUT_SECONDS: { ...timeout("health", "3", "Longest wait for an upstream service in a health check"), live: true },
  SELFTEST_INTERVAL_MINUTES: {
    group: "health",
    kind: kinds.integer(0, 10_080),
    default: "0",
    unit: "minutes",
    description: "A self-test is made so often, as with `homesec selftest`; 0 makes none",
  },
  MAX_CONCURRENT_HEALTH_CHECKS: { group: "health", kind: kinds.integer(1, 100), default: "10", description: "Health checks at once" },

  LOG_LEVEL: {
    group: "log",
    live: true,
    kind: kinds.oneOf("debug", "info", "warn", "error"),
    default: "info",
    description: "The least important messages that are logged",
  },
  LOG_FORMAT: {
    group: "log",
    kind: kinds.oneOf("pretty", "json"),
    defaultNote: "`pretty` on a terminal, else `json`",
    description: "How messages look on the standard error output; log files are always JSON",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;
export const variableNames = Object.keys(variables) as readonly VariableName[];

/** Variables that only the command line reads. */
export const commandLineVariables = {
  HOMESEC_URL: "Address of the daemon that commands talk to, instead of one made from HOST and PORT",
  HOMESEC_API_KEY: "Key that commands send",
  HOMESEC_CA_FILE: "Certificates (PEM) that commands trust instead of those of the system, for a daemon with TLS",
  HOMESEC_WEBHOOK_SECRET: "Token, password or header value for `homesec webhooks add` and `homesec webhooks update` with `--auth`",
  HOMESEC_SIGNING_SECRET: "Signing secret with which `homesec webhooks listen` verifies",
  NO_COLOR: "When set, commands print no colours",
} as const;

/** What the daemon and commands take from the environment as any program of Node.js does. */
export const environmentVariables = {
  TZ: "Time zone of mails, of schedules that are typed without one, and of what people read and type, such as `Europe/Berlin`; that of the machine without it",
  NODE_EXTRA_CA_CERTS:
    "File with certificates (PEM) of an authority of your own: mail servers, webhooks and services that it signed are trusted",
} as const;

/** The variable of that name, with its precise type forgotten. */
export function variable(name: VariableName): Variable {
  return variables[name];
}
