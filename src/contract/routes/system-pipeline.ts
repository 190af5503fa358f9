import { z } from "zod";
import { passedOverKinds } from "../constants.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, Instant, IntText } from "../values.ts";
import { breakerStates, CircuitState, WorkerStatus } from "./system-health.ts";

const route = routesOf("system");

const Now = Instant.meta({ description: "Time of the measurement" });
const Running = z.boolean().meta({ description: "Whether the worker runs", example: true });

const QueueWorker = z.object({
  running: Running,
  waiting: z.int().meta({ description: "Jobs that are ready to start" }),
  deferred: z.int().meta({ description: "Jobs that wait for an upstream service or a retry" }),
  in_progress: z.int().meta({ description: "Jobs in progress" }),
  dead: z.int().meta({ description: "Jobs in the dead letters" }),
  oldest_waiting_seconds: z.number().nullable().meta({ description: "Waiting time of the oldest ready job in seconds; null without one" }),
});
const DetectionWorker = QueueWorker.meta({ description: "Sends pictures to the detector" });
const AnalysisWorker = QueueWorker.meta({ description: "Sends events to the language model" });

const DaemonEntry = z
  .object({
    daemon_id: z.string().meta({ description: "Id of the daemon, new after each start", example: "5f3c1c9e-4f0e-4b2e-9a43-0b8a3f6d2c11" }),
    host: z.string().meta({ description: "Host", example: "nas" }),
    pid: z.int().meta({ description: "Process id", example: 812 }),
    version: z.string().meta({ description: "Version of homesec", example: "0.2.0" }),
    started_at: Instant.meta({ description: "Time of the start" }),
    roles: z.array(z.string()).meta({ description: "Roles", example: ["api", "watch", "alert", "deliver", "maintain"] }),
    singletons: z.array(z.string()).meta({ description: "Singleton workers that run in this daemon" }),
  })
  .meta({
    id: "Daemon",
    description: "A running daemon",
    example: { singletons: ["file_watcher", "camera_watcher", "alert_worker", "digest_closer", "cleanup_service"] },
  });

export const PassedOver = z
  .object({
    kind: z.enum(passedOverKinds).meta({
      description:
        "`unreadable_folder`, `linked_folder`, `unreadable_name`, `unregistered_folder` and `stray_file` may hide pictures; `not_media`: no picture or video by its content; `side_file`: by its name; `unfinished`: the name marks an unfinished upload",
    }),
    camera_id: CameraIdText.nullable().meta({ description: "Camera whose folder holds them; null for those of no camera", example: null }),
    count: z.int().meta({ description: "Number of folders or files", example: 1 }),
    path: z.string().meta({ description: "One of them", example: "/var/lib/homesec/cameras/closed" }),
    reason: z.string().meta({
      description: "Why it is not read, with the fix",
      example: "the folder /var/lib/homesec/cameras/closed cannot be read; give the user that runs homesec the right to read it",
    }),
  })
  .meta({ id: "PassedOver", description: "Folders or files of one kind that the file watcher does not read" });

export const PipelineReply = z
  .object({
    file_watcher: z
      .object({
        running: Running,
        camera_root: z.string().meta({ description: "CAMERA_ROOT", example: "/var/lib/homesec/cameras" }),
        pending: z.int().meta({ description: "Incomplete files" }),
        stuck: z
          .array(
            z.object({
              path: z.string().meta({ description: "Path on the daemon's disk" }),
              reason: z.string().meta({ description: "Why it is not processed" }),
              since: Instant.meta({ description: "Time homesec first noticed it in this state" }),
            }),
          )
          .meta({ description: "Files that stay incomplete", example: [] }),
        passed_over: z
          .array(PassedOver)
          .optional()
          .meta({ description: "Folders and files that are not read, by camera and kind", example: [] }),
        watch_mode: z.enum(["notify", "polling"]).meta({ description: "`notify`: notifications of the system; `polling`: repeated scans" }),
      })
      .meta({ description: "Finds the pictures" }),
    detection_worker: DetectionWorker,
    batch_aggregator: z
      .object({
        running: Running,
        active_batches: z.int().meta({ description: "Number of open batches", example: 1 }),
        batches: z
          .array(
            z.object({
              batch_id: z.string().meta({ description: "Id of the batch", example: "b7e04f19-52c8-4a6d-8d31-0f9a6c2be574" }),
              camera_id: CameraIdText,
              detection_count: z.int().meta({ description: "Detections in the batch", example: 1 }),
              started_at: Instant.meta({ description: "Time of its first picture" }),
              age_seconds: z.number().meta({ description: "Age in seconds", example: 9.3 }),
              last_activity_seconds: z.number().meta({ description: "Seconds since its last detection", example: 9.3 }),
            }),
          )
          .meta({ description: "Open batches" }),
        batch_window_seconds: z
          .number()
          .meta({ description: "Maximum seconds between its first detection and the end of a batch", example: 90 }),
        idle_timeout_seconds: z.number().meta({ description: "A batch closes after this many seconds without a detection", example: 30 }),
      })
      .meta({ description: "Groups detections into events" }),
    analysis_worker: AnalysisWorker,
    degradation: z
      .object({
        mode: z.string().meta({ description: "`normal`, `degraded`, or `offline` without detector and language model", example: "normal" }),
        services: z.record(z.string(), z.string()).meta({ description: "State of each circuit breaker", example: breakerStates }),
      })
      .meta({ description: "Degradation while AI services are unavailable" }),
    timestamp: Now,
  })
  .meta({ id: "Pipeline", description: "State of each stage of the pipeline" });

export const Latency = z
  .object({
    avg_ms: z.number().meta({ description: "Average" }),
    min_ms: z.number().meta({ description: "Minimum" }),
    max_ms: z.number().meta({ description: "Maximum" }),
    p50_ms: z.number().meta({ description: "Median" }),
    p95_ms: z.number().meta({ description: "95th percentile" }),
    p99_ms: z.number().meta({ description: "99th percentile" }),
    sample_count: z.int().meta({ description: "Number of samples" }),
  })
  .meta({
    id: "Latency",
    description: "Durations in milliseconds, from the newest samples in the window",
    example: { avg_ms: 374, min_ms: 170, max_ms: 1360, p50_ms: 340, p95_ms: 680, p99_ms: 1020, sample_count: 84 },
  });

export const TelemetryReply = z
  .object({
    queues: z
      .object({
        detection_queue: z.int().meta({ description: "Pictures for the detector" }),
        analysis_queue: z.int().meta({ description: "Events for the language model" }),
        delivery_queue: z.int().meta({ description: "Notifications, and deliveries to webhooks" }),
      })
      .meta({ description: "Waiting jobs, including those that wait for an upstream service" }),
    latencies: z
      .object({
        watch: Latency.nullable().meta({ description: "From the first notice of a live picture to its entry in the ledger" }),
        detect: Latency.nullable().meta({ description: "Inference time of a picture" }),
        batch: Latency.nullable().meta({ description: "From the first detection of a batch to its end" }),
        analyze: Latency.nullable().meta({ description: "Analysis of an event by the language model" }),
      })
      .meta({ description: "Latencies of the last hour; null without samples" }),
    websocket: z
      .object({
        connected_clients: z.int().meta({ description: "Live clients now" }),
        messages_sent: z.int().meta({ description: "Messages sent since the start" }),
        replayed: z.int().meta({ description: "Replayed messages that clients had missed" }),
        cut_slow: z.int().meta({ description: "Clients disconnected because they did not read" }),
      })
      .meta({ description: "Live messages" }),
    api_requests: z
      .object({
        total: z.int().meta({ description: "Requests since the start" }),
        by_status: z.record(z.string(), z.int()).meta({ description: "Number per HTTP status" }),
        p50_ms: z.number().nullable().meta({ description: "Median in milliseconds; null before the first request" }),
        p99_ms: z.number().nullable().meta({ description: "99th percentile in milliseconds; null before the first request" }),
      })
      .meta({ description: "Requests to this API" }),
    timestamp: Now,
  })
  .meta({
    id: "Telemetry",
    description: "Queues, latencies, live clients and requests",
    example: {
      websocket: { connected_clients: 2, messages_sent: 1840, replayed: 12, cut_slow: 0 },
      api_requests: { total: 5120, by_status: { "200": 5087, "304": 21, "404": 12 }, p50_ms: 3.4, p99_ms: 41.8 },
    },
  });

export const PipelineLatencyReply = z
  .object({
    watch_to_detect: Latency.nullable().meta({ description: "From the entry of a picture in the ledger to its stored detections" }),
    detect_to_batch: Latency.nullable().meta({ description: "From the first stored detection of a batch to its end" }),
    batch_to_analyze: Latency.nullable().meta({ description: "From the creation of an event to its first score" }),
    total_pipeline: Latency.nullable().meta({ description: "From an event's first picture in the ledger to its first score" }),
  })
  .meta({ id: "PipelineLatency", description: "Latency between stages; null without samples" });

const BreakerName = z.string().meta({ description: "Service of the breaker", example: "language_model" });

export const Breaker = z
  .object({
    name: BreakerName,
    state: CircuitState,
    failure_count: z.int().meta({ description: "Failures in a row" }),
    last_failure: Instant.nullable().meta({ description: "Time of the last failure; null without one" }),
    last_success: Instant.nullable().meta({
      description: "Time of the last success; null without one",
      example: "2026-02-01T08:29:51.190Z",
    }),
    reset_at: Instant.optional().meta({ description: "Time of the next trial; only while open" }),
  })
  .meta({ id: "CircuitBreaker", description: "Stops requests to a service that does not answer", example: { name: "detector" } });

export const BreakerReset = z
  .object({
    name: BreakerName,
    previous_state: CircuitState,
    state: CircuitState,
    message: z.string().meta({ description: "Summary" }),
    timestamp: Now,
  })
  .meta({
    id: "CircuitBreakerReset",
    description: "Result of closing a circuit breaker",
    example: { previous_state: "open", message: "The circuit breaker of language_model is closed; the service is asked again" },
  });

export const pipelineRoutes = {
  getPipeline: route.get("/api/system/pipeline", "Get the state of each stage of the pipeline", { reply: PipelineReply }),
  getTelemetry: route.get("/api/system/telemetry", "Get queues, latencies, live clients and requests", { reply: TelemetryReply }),
  getPipelineLatency: route.get("/api/system/pipeline-latency", "Get the latency between stages", {
    query: z.object({ window_minutes: IntText(1, 10_080).default(60).meta({ description: "Period in minutes, 1 to 10080" }) }),
    reply: PipelineLatencyReply,
  }),
  listWorkers: route.get("/api/system/workers", "List the background workers", {
    reply: z
      .object({ workers: z.array(WorkerStatus).meta({ description: "All workers, running or stopped" }) })
      .meta({ id: "Workers", description: "Background workers" }),
  }),
  listDaemons: route.get("/api/system/daemons", "List the daemons that share the database with their roles", {
    reply: z
      .object({ daemons: z.array(DaemonEntry).meta({ description: "Running daemons; the first one sent this reply" }) })
      .meta({ id: "Daemons", description: "Daemons that share the database" }),
  }),
  listBreakers: route.get("/api/system/circuit-breakers", "List the circuit breakers of the AI services", {
    reply: z
      .object({ breakers: z.array(Breaker).meta({ description: "One breaker per service, including disabled services" }) })
      .meta({ id: "CircuitBreakers", description: "The circuit breakers of the AI services" }),
  }),
  resetBreaker: route.post("/api/system/circuit-breakers/{name}/reset", "Close a circuit breaker, so that requests to its service resume", {
    params: z.object({ name: z.string().meta({ description: "Name of the breaker" }) }),
    reply: BreakerReset,
    refusals: { 404: "No breaker has this name" },
  }),
};
