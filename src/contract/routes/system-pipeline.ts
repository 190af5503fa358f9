import { z } from "zod";
import { route } from "../route.ts";
import { Instant, IntText } from "../values.ts";
import { CircuitState, WorkerStatus } from "./system-health.ts";

const QueueWorker = z.object({
  running: z.boolean(),
  waiting: z.int().meta({ description: "Jobs that could start now" }),
  deferred: z.int().meta({ description: "Jobs that wait for an upstream service or a retry" }),
  in_progress: z.int(),
  dead: z.int().meta({ description: "Jobs in the dead letters" }),
  oldest_waiting_seconds: z.number().nullable(),
});

export const PipelineReply = z
  .object({
    file_watcher: z.object({
      running: z.boolean(),
      camera_root: z.string(),
      pending: z.int().meta({ description: "Files seen that are not complete yet" }),
      stuck: z.array(z.object({ path: z.string(), reason: z.string(), since: Instant })),
      watch_mode: z.enum(["notify", "polling"]),
    }),
    detection_worker: QueueWorker,
    batch_aggregator: z.object({
      running: z.boolean(),
      active_batches: z.int(),
      batches: z.array(
        z.object({
          batch_id: z.string(),
          camera_id: z.string(),
          detection_count: z.int(),
          started_at: Instant,
          age_seconds: z.number(),
          last_activity_seconds: z.number(),
        }),
      ),
      batch_window_seconds: z.number(),
      idle_timeout_seconds: z.number(),
    }),
    analysis_worker: QueueWorker,
    degradation: z.object({ mode: z.string(), services: z.record(z.string(), z.string()) }),
    timestamp: Instant,
  })
  .meta({ id: "Pipeline" });

export const Latency = z
  .object({
    avg_ms: z.number(),
    min_ms: z.number(),
    max_ms: z.number(),
    p50_ms: z.number(),
    p95_ms: z.number(),
    p99_ms: z.number(),
    sample_count: z.int(),
  })
  .meta({ id: "Latency", description: "Durations in milliseconds, of the newest thousands in the window" });

export const TelemetryReply = z
  .object({
    queues: z
      .object({ detection_queue: z.int(), analysis_queue: z.int(), delivery_queue: z.int() })
      .meta({ description: "Jobs that wait, those for an upstream service included" }),
    latencies: z
      .object({
        watch: Latency.nullable().meta({ description: "A live picture: from its first sign to its entry in the ledger" }),
        detect: Latency.nullable().meta({ description: "The detector's look at a picture" }),
        batch: Latency.nullable().meta({ description: "A batch: from its first detection to its end" }),
        analyze: Latency.nullable().meta({ description: "The language model's judgement of an event" }),
      })
      .meta({ description: "Over the last hour; null without a sample" }),
    websocket: z.object({ connected_clients: z.int(), messages_sent: z.int(), replayed: z.int(), cut_slow: z.int() }),
    api_requests: z.object({
      total: z.int(),
      by_status: z.record(z.string(), z.int()),
      p50_ms: z.number().nullable(),
      p99_ms: z.number().nullable(),
    }),
    timestamp: Instant,
  })
  .meta({ id: "Telemetry" });

export const PipelineLatencyReply = z
  .object({
    watch_to_detect: Latency.nullable().meta({ description: "A picture: from its entry in the ledger to its stored detections" }),
    detect_to_batch: Latency.nullable().meta({ description: "A batch: from its first stored detection to its end" }),
    batch_to_analyze: Latency.nullable().meta({ description: "An event: from its creation to its first judgement" }),
    total_pipeline: Latency.nullable().meta({ description: "From an event's first picture in the ledger to its first judgement" }),
  })
  .meta({ id: "PipelineLatency" });

export const Breaker = z
  .object({
    name: z.string(),
    state: CircuitState,
    failure_count: z.int(),
    last_failure: Instant.nullable(),
    last_success: Instant.nullable(),
    reset_at: Instant.optional().meta({ description: "When one trial is allowed; only while open" }),
  })
  .meta({ id: "CircuitBreaker" });

export const BreakerReset = z
  .object({ name: z.string(), previous_state: CircuitState, state: CircuitState, message: z.string(), timestamp: Instant })
  .meta({ id: "CircuitBreakerReset" });

export const pipelineRoutes = {
  getPipeline: route("/api/system/pipeline", {
    method: "get",
    summary: "What each stage of the pipeline is doing",
    tag: "system",
    reply: PipelineReply,
  }),
  getTelemetry: route("/api/system/telemetry", {
    method: "get",
    summary: "Queues, latencies, live clients and requests",
    tag: "system",
    reply: TelemetryReply,
  }),
  getPipelineLatency: route("/api/system/pipeline-latency", {
    method: "get",
    summary: "How long pictures take from stage to stage",
    tag: "system",
    query: z.object({ window_minutes: IntText(1, 10_080).default(60).meta({ description: "How far back, 1 to 10080 minutes" }) }),
    reply: PipelineLatencyReply,
  }),
  listWorkers: route("/api/system/workers", {
    method: "get",
    summary: "The background workers",
    tag: "system",
    reply: z.object({ workers: z.array(WorkerStatus) }).meta({ id: "Workers" }),
  }),
  listBreakers: route("/api/system/circuit-breakers", {
    method: "get",
    summary: "The circuit breakers of the AI services",
    tag: "system",
    reply: z.object({ breakers: z.array(Breaker) }).meta({ id: "CircuitBreakers" }),
  }),
  resetBreaker: route("/api/system/circuit-breakers/{name}/reset", {
    method: "post",
    summary: "Close a circuit breaker, so that its service is asked again",
    tag: "system",
    params: z.object({ name: z.string().meta({ description: "Name of the breaker" }) }),
    reply: BreakerReset,
    refusals: { 404: "No breaker has this name" },
  }),
};
