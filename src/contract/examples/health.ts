import type { z } from "zod";
import type { CheckResult, healthRoutes, ServiceHealth, WorkerStatus } from "../routes/system-health.ts";
import type { ExamplesOf } from "./example.ts";
import { now, version } from "./ids.ts";

const services = ["detector", "language_model", "vision", "embedder", "enrichment"] as const;
const addresses = {
  detector: "http://127.0.0.1:38211",
  language_model: "http://127.0.0.1:40733",
  vision: "http://127.0.0.1:36005",
  embedder: "http://127.0.0.1:36005",
  enrichment: "http://127.0.0.1:36005",
};
const displayNames = {
  detector: "Detector",
  language_model: "Language model",
  vision: "Vision",
  embedder: "Embedder",
  enrichment: "Enrichment",
};

const workerNames = ["gpu_monitor", "cleanup_service", "file_watcher", "detection_worker", "analysis_worker", "batch_aggregator"] as const;

export const workers = workerNames.map((name) => ({
  name,
  running: true,
  message: name === "gpu_monitor" ? "nvidia-smi is not installed" : null,
})) satisfies z.input<typeof WorkerStatus>[];

/** The breakers by their state. */
export const breakerStates = Object.fromEntries(services.map((name) => [name, "closed" as const]));

const well = { status: "healthy", latency_ms: 1.2, error: null } satisfies z.input<typeof CheckResult>;
const unasked = { ...well, latency_ms: null };
const away = "language_model: the service does not answer within 3 seconds";

const database = {
  status: "healthy",
  message: "PostgreSQL answers",
  details: { pool: { size: 10, overflow: 0, checkedin: 9, checkedout: 1, total_connections: 10 }, latency_ms: 1.2 },
} satisfies z.input<typeof ServiceHealth>;

const store = {
  status: "healthy",
  message: "The store is in this process",
  details: { kind: "in-process", version: "in-process" },
} satisfies z.input<typeof ServiceHealth>;

const ai = {
  status: "healthy",
  message: "All AI services answer",
  details: Object.fromEntries(services.map((name) => [name, "healthy"])),
} satisfies z.input<typeof ServiceHealth>;

const aiServices = services.map((name) => ({
  name,
  display_name: displayNames[name],
  status: "healthy" as const,
  url: addresses[name],
  response_time_ms: 2.6,
  circuit_state: "closed" as const,
  error: null,
  last_check: now,
}));

const full = {
  status: "healthy" as const,
  ready: true,
  message: "Everything works",
  database: { name: "database", ...database },
  store: { name: "store", ...store },
  ai_services: aiServices,
  circuit_breakers: { total: 5, closed: 5, open: 0, half_open: 0, breakers: breakerStates },
  workers: workers.map(({ name, running }) => ({ name, running, critical: name === "detection_worker" || name === "analysis_worker" })),
  timestamp: now,
  version,
};

const ready = {
  ready: true,
  status: "ready",
  checks: { database: well, store: well, pipeline_workers: unasked, supervisor: unasked },
  workers,
};

const recovery = {
  timestamp: "2026-02-01T06:12:40.310Z",
  service: "language_model",
  event_type: "recovery",
  message: "the circuit breaker of language_model went from half_open to closed",
};

export const healthExamples = {
  getHealth: {
    reply: { status: "healthy", services: { database, store, ai }, timestamp: now, recent_events: [recovery] },
    unwell: {
      status: "degraded",
      services: {
        database,
        store,
        ai: { status: "degraded", message: away, details: { ...ai.details, language_model: "unhealthy" } },
      },
      timestamp: now,
      recent_events: [],
    },
  },
  getReady: {
    reply: ready,
    unwell: {
      ...ready,
      ready: false,
      status: "degraded",
      checks: { ...ready.checks, pipeline_workers: { ...unasked, status: "unhealthy", error: "analysis_worker: does not run" } },
    },
  },
  getWebsocketHealth: {
    reply: { status: "healthy", connected_clients: 2, broadcaster_running: true, last_broadcast: "2026-02-01T08:29:51.204Z" },
  },
  getFullHealth: {
    reply: full,
    unwell: {
      ...full,
      status: "degraded",
      message: away,
      ai_services: aiServices.map((service) =>
        service.name === "language_model"
          ? {
              ...service,
              status: "unhealthy",
              response_time_ms: null,
              circuit_state: "open",
              error: "the service does not answer within 3 seconds",
            }
          : service,
      ),
      circuit_breakers: { total: 5, closed: 4, open: 1, half_open: 0, breakers: { ...breakerStates, language_model: "open" } },
    },
  },
  getMonitoringHealth: { reply: { status: "up", checks: { database: well, store: well, ai_services: { ...well, latency_ms: 3.1 } } } },
  getMonitoringTargets: {
    reply: {
      targets: [
        { name: "homesec", url: "http://127.0.0.1:8000", health_endpoint: "http://127.0.0.1:8000/api/system/health" },
        ...services.map((name) => ({ name, url: addresses[name], health_endpoint: `${addresses[name]}/health` })),
      ],
    },
  },
} satisfies ExamplesOf<typeof healthRoutes>;
