import { z } from "zod";
import { circuitStates } from "../constants.ts";
import { route } from "../route.ts";
import { Instant } from "../values.ts";

const healthStates = ["healthy", "unhealthy", "degraded", "unknown"] as const;
const HealthState = z.enum(healthStates).meta({ description: "Health" });

/** Example of all breakers, closed. */
export const breakerStates = { detector: "closed", language_model: "closed", vision: "closed", embedder: "closed", enrichment: "closed" };
export const CircuitState = z.enum(circuitStates).meta({
  description: "`closed`: homesec sends requests; `open`: it sends none; `half_open`: one trial request is allowed",
});

const Message = z.string().meta({ description: "What is wrong, or that everything works", example: "Everything works" });
const Details = z.record(z.string(), z.unknown());
const Running = z.boolean().meta({ description: "Whether it runs", example: true });
const WorkerName = z.string().meta({ description: "Name of the worker", example: "detection_worker" });
const Now = Instant.meta({ description: "When this was found out" });

export const CheckResult = z
  .object({
    status: z.enum(["healthy", "unhealthy", "degraded"]).meta({ description: "How the check ended" }),
    latency_ms: z.number().nullable().meta({ description: "Response time in milliseconds; null without a request", example: 1.2 }),
    error: z.string().nullable().meta({ description: "What is wrong; null when nothing is" }),
  })
  .meta({ id: "CheckResult", description: "One check" });

export const ServiceHealth = z
  .object({
    status: HealthState,
    message: Message,
    details: Details.nullable().meta({
      description: "Of the database the counters of its `pool`, of the store its `version`, of the AI services the status of each",
    }),
  })
  .meta({ id: "ServiceHealth", description: "Health of one service" });

export const WorkerStatus = z
  .object({
    name: WorkerName,
    running: Running,
    message: z.string().nullable().meta({ description: "Why the worker does not run, or a remark" }),
  })
  .meta({ id: "WorkerStatus", description: "Background workers" });

const healthyCheck = { status: "healthy", latency_ms: 1.2, error: null };
const noAnswer = "language_model: the service does not answer within 3 seconds";
const healthyServices = {
  database: { status: "healthy", message: "PostgreSQL answers", details: { latency_ms: 1.2 } },
  store: { status: "healthy", message: "The store is in this process", details: { kind: "in-process", version: "in-process" } },
};

export const HealthReply = z
  .object({
    status: HealthState.meta({ description: "Healthy: all is well; degraded: what matters most works; unhealthy: it does not" }),
    services: z
      .object({
        database: ServiceHealth.meta({ description: "PostgreSQL" }),
        store: ServiceHealth.meta({ description: "Limits and caches, in the process or on Redis" }),
        ai: ServiceHealth.meta({ description: "Detector, language model and the services of enrichment that are switched on" }),
      })
      .meta({ description: "Dependencies" }),
    timestamp: Now,
    recent_events: z
      .array(
        z.object({
          timestamp: Instant.meta({ description: "When it happened" }),
          service: z.string().meta({ description: "Service" }),
          event_type: z.string().meta({ description: "What, such as a recovery" }),
          message: z.string().meta({ description: "The same for a person" }),
        }),
      )
      .meta({ description: "What changed lately, and what is not well beside the services" }),
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
    ready: z.boolean().meta({ description: "Whether pictures are being processed", example: true }),
    status: z.string().meta({ description: "`ready`, `degraded`, or `not_ready` without the database", example: "ready" }),
    checks: z
      .object({ database: CheckResult, store: CheckResult, pipeline_workers: CheckResult, supervisor: CheckResult })
      .meta({ description: "All must be healthy" }),
    workers: z.array(WorkerStatus).meta({ description: "Background workers" }),
  })
  .meta({ id: "Ready", description: "Whether pictures are being processed" });

export const WebsocketHealthReply = z
  .object({
    status: HealthState,
    connected_clients: z.int().meta({ description: "Live clients", example: 2 }),
    broadcaster_running: z.boolean().meta({ description: "Whether messages go out", example: true }),
    last_broadcast: Instant.nullable().meta({ description: "When a message last went to the clients; null before the first" }),
  })
  .meta({ id: "WebsocketHealth", description: "Whether live messages go out", example: { last_broadcast: "2026-02-01T08:29:51.204Z" } });

const InfrastructureHealth = z
  .object({
    name: z.string().meta({ description: "`database` or `store`", example: "database" }),
    status: HealthState,
    message: Message,
    details: Details.nullable().meta({ description: "Figures of it" }),
  })
  .meta({ id: "InfrastructureHealthStatus", description: "Health of the database or the store" });

export const AiServiceHealth = z
  .object({
    name: z.string().meta({ description: "`detector`, `language_model`, `vision`, `embedder` or `enrichment`", example: "detector" }),
    display_name: z.string().meta({ description: "The same for a person", example: "Detector" }),
    status: HealthState,
    url: z.string().meta({ description: "URL; empty while a built-in service starts", example: "http://127.0.0.1:38211" }),
    response_time_ms: z.number().nullable().meta({ description: "Response time in milliseconds; null without a request", example: 2.6 }),
    circuit_state: CircuitState,
    error: z.string().nullable().meta({ description: "What is wrong; null when nothing is" }),
    last_check: Instant.meta({ description: "Time of the last check" }),
  })
  .meta({ id: "AIServiceHealthStatus", description: "Health of an AI service" });

const count = (what: string) => z.int().meta({ description: what });

export const BreakerSummary = z
  .object({
    total: count("Breakers that there are"),
    closed: count("Those whose service is asked"),
    open: count("Those whose service is left alone"),
    half_open: count("Those that allow one trial"),
    breakers: z.record(z.string(), CircuitState).meta({ description: "State by name" }),
  })
  .meta({
    id: "CircuitBreakerSummary",
    description: "The circuit breakers of the AI services, counted",
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
    critical: z.boolean().meta({ description: "Whether the pipeline stops without it", example: true }),
  })
  .meta({ id: "WorkerHealthStatus", description: "State of a background worker" });

export const FullHealthReply = z
  .object({
    status: HealthState.meta({ description: "Of all together" }),
    ready: z.boolean().meta({ description: "Whether pictures are being processed", example: true }),
    message: Message,
    database: InfrastructureHealth,
    store: InfrastructureHealth,
    ai_services: z.array(AiServiceHealth).meta({ description: "The services that are switched on" }),
    circuit_breakers: BreakerSummary,
    workers: z.array(WorkerHealth).meta({ description: "Background workers" }),
    timestamp: Now,
    version: z.string().meta({ description: "Of homesec", example: "0.1.0" }),
  })
  .meta({ id: "FullHealth", description: "Health of every component" });

export const MonitoringHealthReply = z
  .object({
    status: z.literal("up").meta({ description: "Always the same: the daemon answers" }),
    checks: z.object({ database: CheckResult, store: CheckResult, ai_services: CheckResult }).meta({ description: "What it needs" }),
  })
  .meta({ id: "MonitoringHealth", description: "Checks for a monitoring system" });

export const TargetsReply = z
  .object({
    targets: z
      .array(
        z.object({
          name: z.string().meta({ description: "`homesec`, or the name of an AI service", example: "homesec" }),
          url: z.string().meta({ description: "Where it is", example: "http://127.0.0.1:8000" }),
          health_endpoint: z.string().meta({ description: "Health endpoint", example: "http://127.0.0.1:8000/api/system/health" }),
        }),
      )
      .meta({ description: "homesec first" }),
  })
  .meta({
    id: "MonitoringTargets",
    description: "Targets for a monitoring system",
  });

export const healthRoutes = {
  getHealth: route("/api/system/health", {
    method: "get",
    summary: "Health of database, store and AI services",
    tag: "system",
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
  getReady: route("/api/system/health/ready", {
    method: "get",
    summary: "Whether pictures are being processed",
    tag: "system",
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
  getWebsocketHealth: route("/api/system/health/websocket", {
    method: "get",
    summary: "Whether live messages go out",
    tag: "system",
    reply: WebsocketHealthReply,
    tier: "none",
  }),
  getFullHealth: route("/api/system/health/full", {
    method: "get",
    summary: "Health of every part",
    tag: "system",
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
  getMonitoringHealth: route("/api/system/monitoring/health", {
    method: "get",
    summary: "Checks for a monitoring system",
    tag: "system",
    reply: MonitoringHealthReply,
    tier: "none",
  }),
  getMonitoringTargets: route("/api/system/monitoring/targets", {
    method: "get",
    summary: "Targets for a monitoring system",
    tag: "system",
    reply: TargetsReply,
    tier: "none",
  }),
};
