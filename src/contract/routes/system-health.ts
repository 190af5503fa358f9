import { z } from "zod";
import { route } from "../route.ts";
import { Instant } from "../values.ts";

export const healthStates = ["healthy", "unhealthy", "degraded", "unknown"] as const;
const HealthState = z.enum(healthStates);

export const circuitStates = ["closed", "open", "half_open"] as const;
export const CircuitState = z.enum(circuitStates);

export const CheckResult = z
  .object({ status: z.enum(["healthy", "unhealthy", "degraded"]), latency_ms: z.number().nullable(), error: z.string().nullable() })
  .meta({ id: "CheckResult" });

export const ServiceHealth = z
  .object({ status: HealthState, message: z.string(), details: z.record(z.string(), z.unknown()).nullable() })
  .meta({ id: "ServiceHealth" });

export const WorkerStatus = z
  .object({
    name: z.string(),
    running: z.boolean(),
    message: z.string().nullable().meta({ description: "Why it does not run, or what it has to say" }),
  })
  .meta({ id: "WorkerStatus" });

export const HealthReply = z
  .object({
    status: HealthState,
    services: z.object({ database: ServiceHealth, store: ServiceHealth, ai: ServiceHealth }),
    timestamp: Instant,
    recent_events: z.array(z.object({ timestamp: Instant, service: z.string(), event_type: z.string(), message: z.string() })),
  })
  .meta({ id: "Health" });

export const ReadyReply = z
  .object({
    ready: z.boolean(),
    status: z.string(),
    checks: z.object({ database: CheckResult, store: CheckResult, pipeline_workers: CheckResult, supervisor: CheckResult }),
    workers: z.array(WorkerStatus),
  })
  .meta({ id: "Ready" });

export const WebsocketHealthReply = z
  .object({
    status: HealthState,
    connected_clients: z.int(),
    broadcaster_running: z.boolean(),
    last_broadcast: Instant.nullable().meta({ description: "When a message last went to the clients; null before the first" }),
  })
  .meta({ id: "WebsocketHealth" });

export const InfrastructureHealth = z
  .object({ name: z.string(), status: HealthState, message: z.string(), details: z.record(z.string(), z.unknown()).nullable() })
  .meta({ id: "InfrastructureHealthStatus" });

export const AiServiceHealth = z
  .object({
    name: z.string(),
    display_name: z.string(),
    status: HealthState,
    url: z.string(),
    response_time_ms: z.number().nullable(),
    circuit_state: CircuitState,
    error: z.string().nullable(),
    last_check: Instant,
  })
  .meta({ id: "AIServiceHealthStatus" });

export const BreakerSummary = z
  .object({
    total: z.int(),
    closed: z.int(),
    open: z.int(),
    half_open: z.int(),
    breakers: z.record(z.string(), CircuitState).meta({ description: "State by name" }),
  })
  .meta({ id: "CircuitBreakerSummary" });

export const WorkerHealth = z.object({ name: z.string(), running: z.boolean(), critical: z.boolean() }).meta({ id: "WorkerHealthStatus" });

export const FullHealthReply = z
  .object({
    status: HealthState,
    ready: z.boolean(),
    message: z.string(),
    database: InfrastructureHealth,
    store: InfrastructureHealth,
    ai_services: z.array(AiServiceHealth).meta({ description: "The services that are switched on" }),
    circuit_breakers: BreakerSummary,
    workers: z.array(WorkerHealth),
    timestamp: Instant,
    version: z.string(),
  })
  .meta({ id: "FullHealth" });

export const MonitoringHealthReply = z
  .object({ status: z.literal("up"), checks: z.object({ database: CheckResult, store: CheckResult, ai_services: CheckResult }) })
  .meta({ id: "MonitoringHealth" });

export const TargetsReply = z
  .object({ targets: z.array(z.object({ name: z.string(), url: z.string(), health_endpoint: z.string() })) })
  .meta({ id: "MonitoringTargets" });

export const healthRoutes = {
  getHealth: route("/api/system/health", {
    method: "get",
    summary: "Health of database, store and AI services",
    tag: "system",
    reply: HealthReply,
    refusals: { 503: "Degraded or unhealthy; the body is the same" },
    tier: "none",
  }),
  getReady: route("/api/system/health/ready", {
    method: "get",
    summary: "Whether pictures are being processed",
    tag: "system",
    reply: ReadyReply,
    refusals: { 503: "Not ready; the body is the same" },
    tier: "none",
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
    summary: "What a monitoring system can watch",
    tag: "system",
    reply: TargetsReply,
    tier: "none",
  }),
};
