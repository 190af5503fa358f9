import { z } from "zod";
import { circuitStates } from "../constants.ts";
import { routesOf } from "../route.ts";
import { Instant } from "../values.ts";

const route = routesOf("system");

const healthStates = ["healthy", "unhealthy", "degraded", "unknown"] as const;
const HealthState = z.enum(healthStates).meta({ description: "Health" });

/** Example of all breakers, closed. */
export const breakerStates = { detector: "closed", language_model: "closed", vision: "closed", embedder: "closed", enrichment: "closed" };
export const CircuitState = z.enum(circuitStates).meta({
  description: "`closed`: homesec sends requests; `open`: it sends none; `half_open`: one trial request is allowed",
});

const Message = z.string().meta({ description: "Error, or a message that everything works", example: "Everything works" });
const Details = z.record(z.string(), z.unknown());
const Running = z.boolean().meta({ description: "Whether the worker runs", example: true });
const WorkerName = z.string().meta({ description: "Name of the worker", example: "detection_worker" });
const Now = Instant.meta({ description: "Time of the check" });

export const CheckResult = z
  .object({
    status: z.enum(["healthy", "unhealthy", "degraded"]).meta({ description: "Result of the check" }),
    latency_ms: z.number().nullable().meta({ description: "Response time in milliseconds; null without a request", example: 1.2 }),
    error: z.string().nullable().meta({ description: "Error; null without one" }),
  })
  .meta({ id: "CheckResult", description: "Result of one check" });

export const ServiceHealth = z
  .object({
    status: HealthState,
    message: Message,
    details: Details.nullable().meta({
      description:
        "Database: counters of its `pool`; store: its `version`; AI services: status of each, `starting` while a built-in one loads",
    }),
  })
  .meta({ id: "ServiceHealth", description: "Health of one service" });

export const WorkerStatus = z
  .object({
    name: WorkerName,
    running: Running,
    message: z.string().nullable().meta({ description: "Why the worker does not run, or a note" }),
  })
  .meta({ id: "WorkerStatus", description: "State of a background worker" });

const healthyCheck = { status: "healthy", latency_ms: 1.2, error: null };
const noAnswer = "language_model: the service does not answer within 3 seconds";
const healthyServices = {
  database: { status: "healthy", message: "PostgreSQL answers", details: { latency_ms: 1.2 } },
  store: { status: "healthy", message: "The store is in this process", details: { kind: "in-process", version: "in-process" } },
};

export const HealthReply = z
  .object({
    status: HealthState.meta({
      description: "`healthy`: everything works; `degraded`: only essential parts work; `unhealthy`: an essential part has failed",
    }),
    services: z
      .object({
        database: ServiceHealth.meta({ description: "PostgreSQL" }),
        store: ServiceHealth.meta({ description: "Limits and caches, in the process or on Redis" }),
        ai: ServiceHealth.meta({ description: "Detector, language model and the enabled enrichment services" }),
      })
      .meta({ description: "Dependencies" }),
    timestamp: Now,
    recent_events: z
      .array(
        z.object({
          timestamp: Instant.meta({ description: "Time of the event" }),
          service: z.string().meta({ description: "Service" }),
          event_type: z.string().meta({ description: "Type of change, such as `recovery`" }),
          message: z.string().meta({ description: "Description" }),
        }),
      )
      .meta({ description: "Recent changes, and problems outside the services" }),
  })
  .meta({
    id: "Health",
    description: "Health of database, store and AI services",
    example: {
      services: {
        ...healthyServices,
        ai: { status: "healthy", message: "All AI services answer", details: { detector: "healthy", language_model: "healthy" } },
      },
      recent_events: [
        {
          timestamp: "2026-01-31T06:12:40.310Z",
          service: "language_model",
          event_type: "recovery",
          message: "the circuit breaker of language_model went from half_open to closed",
        },
      ],
    },
  });

export const ReadyReply = z
  .object({
    ready: z.boolean().meta({ description: "Whether homesec processes pictures", example: true }),
    status: z.string().meta({ description: "`ready`, `degraded`, or `not_ready` without the database", example: "ready" }),
    checks: z
      .object({ database: CheckResult, store: CheckResult, pipeline_workers: CheckResult, supervisor: CheckResult })
      .meta({ description: "Checks; all must be healthy" }),
    workers: z.array(WorkerStatus).meta({ description: "Background workers" }),
  })
  .meta({ id: "Ready", description: "Whether homesec processes pictures" });

export const WebsocketHealthReply = z
  .object({
    status: HealthState,
    connected_clients: z.int().meta({ description: "Live clients", example: 2 }),
    broadcaster_running: z.boolean().meta({ description: "Whether homesec sends live messages", example: true }),
    last_broadcast: Instant.nullable().meta({ description: "Time of the last message; null before the first" }),
  })
  .meta({ id: "WebsocketHealth", description: "State of the live messages", example: { last_broadcast: "2026-02-01T08:29:51.204Z" } });

const InfrastructureHealth = z
  .object({
    name: z.string().meta({ description: "`database` or `store`", example: "database" }),
    status: HealthState,
    message: Message,
    details: Details.nullable().meta({ description: "Metrics of the dependency" }),
  })
  .meta({ id: "InfrastructureHealthStatus", description: "Health of the database or the store" });

export const AiServiceHealth = z
  .object({
    name: z.string().meta({ description: "`detector`, `language_model`, `vision`, `embedder` or `enrichment`", example: "detector" }),
    display_name: z.string().meta({ description: "Display name", example: "Detector" }),
    status: HealthState,
    url: z.string().meta({ description: "URL; empty while a built-in service starts", example: "http://127.0.0.1:38211" }),
    response_time_ms: z.number().nullable().meta({ description: "Response time in milliseconds; null without a request", example: 2.6 }),
    circuit_state: CircuitState,
    error: z.string().nullable().meta({ description: "Error; null without one" }),
    note: z.string().nullable().meta({
      description: "What a working service cannot do, such as seeing pictures; null for most",
      example: null,
    }),
    last_check: Instant.meta({ description: "Time of the last check" }),
  })
  .meta({ id: "AIServiceHealthStatus", description: "Health of an AI service" });

const count = (what: string) => z.int().meta({ description: what });

export const BreakerSummary = z
  .object({
    total: count("Number of breakers"),
    closed: count("Closed breakers"),
    open: count("Open breakers"),
    half_open: count("Breakers that allow one trial"),
    breakers: z.record(z.string(), CircuitState).meta({ description: "State by name" }),
  })
  .meta({
    id: "CircuitBreakerSummary",
    description: "Number of circuit breakers by state",
    example: {
      total: 5,
      closed: 5,
      breakers: breakerStates,
    },
  });

const WorkerHealth = z
  .object({
    name: WorkerName,
    running: Running,
    critical: z.boolean().meta({ description: "Whether the pipeline needs this worker", example: true }),
  })
  .meta({ id: "WorkerHealthStatus", description: "State of a background worker" });

export const FullHealthReply = z
  .object({
    status: HealthState.meta({ description: "Overall health" }),
    ready: z.boolean().meta({ description: "Whether homesec processes pictures", example: true }),
    message: Message,
    database: InfrastructureHealth,
    store: InfrastructureHealth,
    ai_services: z.array(AiServiceHealth).meta({ description: "Enabled services" }),
    circuit_breakers: BreakerSummary,
    workers: z.array(WorkerHealth).meta({ description: "Background workers" }),
    timestamp: Now,
    version: z.string().meta({ description: "Version of homesec", example: "0.2.0" }),
  })
  .meta({ id: "FullHealth", description: "Health of every component" });

export const MonitoringHealthReply = z
  .object({
    status: z.literal("up").meta({ description: "Always `up`" }),
    checks: z
      .object({ database: CheckResult, store: CheckResult, ai_services: CheckResult })
      .meta({ description: "Checks of the dependencies" }),
  })
  .meta({ id: "MonitoringHealth", description: "Checks for a monitoring system" });

export const TargetsReply = z
  .object({
    targets: z
      .array(
        z.object({
          name: z.string().meta({ description: "`homesec`, or the name of an AI service", example: "homesec" }),
          url: z.string().meta({ description: "URL of the target", example: "http://127.0.0.1:8000" }),
          health_endpoint: z.string().meta({ description: "Health endpoint", example: "http://127.0.0.1:8000/api/system/health" }),
        }),
      )
      .meta({ description: "Targets, homesec first" }),
  })
  .meta({
    id: "MonitoringTargets",
    description: "Targets for a monitoring system",
  });

export const healthRoutes = {
  getHealth: route.get("/api/system/health", "Get the health of database, store and AI services", {
    reply: HealthReply,
    refusals: { 503: "Degraded or unhealthy; the body is the same" },
    tier: "none",
    example: {
      unwell: {
        status: "degraded",
        services: {
          ...healthyServices,
          ai: {
            status: "degraded",
            message: noAnswer,
            details: { detector: "healthy", language_model: "unhealthy" },
          },
        },
      },
    },
  }),
  getReady: route.get("/api/system/health/ready", "Check whether homesec processes pictures", {
    reply: ReadyReply,
    refusals: { 503: "Not ready; the body is the same" },
    tier: "none",
    example: {
      unwell: {
        ready: false,
        status: "degraded",
        checks: {
          database: healthyCheck,
          store: healthyCheck,
          pipeline_workers: { status: "unhealthy", latency_ms: null, error: "analysis_worker: does not run" },
          supervisor: healthyCheck,
        },
      },
    },
  }),
  getWebsocketHealth: route.get("/api/system/health/websocket", "Check whether homesec sends live messages", {
    reply: WebsocketHealthReply,
    tier: "none",
  }),
  getFullHealth: route.get("/api/system/health/full", "Get the health of every component", {
    reply: FullHealthReply,
    refusals: { 503: "Degraded or unhealthy; the body is the same" },
    tier: "none",
    example: {
      unwell: {
        status: "degraded",
        message: noAnswer,
        ai_services: [
          {
            name: "language_model",
            display_name: "Language model",
            status: "unhealthy",
            url: "http://127.0.0.1:40733",
            response_time_ms: null,
            circuit_state: "open",
            error: "the service does not answer within 3 seconds",
            note: null,
            last_check: "2026-01-31T22:15:00.000Z",
          },
        ],
        circuit_breakers: {
          total: 5,
          closed: 4,
          open: 1,
          half_open: 0,
          breakers: { ...breakerStates, language_model: "open" },
        },
      },
    },
  }),
  getMonitoringHealth: route.get("/api/system/monitoring/health", "Get the checks for a monitoring system", {
    reply: MonitoringHealthReply,
    tier: "none",
  }),
  getMonitoringTargets: route.get("/api/system/monitoring/targets", "List the targets for a monitoring system", {
    reply: TargetsReply,
    tier: "none",
  }),
};
