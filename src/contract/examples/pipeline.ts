import type { z } from "zod";
import type { Breaker, Latency, pipelineRoutes } from "../routes/system-pipeline.ts";
import { cameraId, cameraRoot } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";
import { breakerStates, workers } from "./health.ts";
import { now, version } from "./ids.ts";

const idle = { running: true, waiting: 0, deferred: 0, in_progress: 0, dead: 0, oldest_waiting_seconds: null };

/** Durations around a typical one. */
function around(typicalMs: number) {
  return {
    avg_ms: typicalMs * 1.1,
    min_ms: typicalMs * 0.5,
    max_ms: typicalMs * 4,
    p50_ms: typicalMs,
    p95_ms: typicalMs * 2,
    p99_ms: typicalMs * 3,
    sample_count: 84,
  } satisfies z.input<typeof Latency>;
}

const breaker = {
  state: "closed",
  failure_count: 0,
  last_failure: null,
  last_success: "2026-02-01T08:29:51.190Z",
} satisfies Omit<z.input<typeof Breaker>, "name">;

export const pipelineExamples = {
  getPipeline: {
    reply: {
      file_watcher: { running: true, camera_root: cameraRoot, pending: 0, stuck: [], watch_mode: "notify" },
      detection_worker: { ...idle, dead: 1 },
      batch_aggregator: {
        running: true,
        active_batches: 1,
        batches: [
          {
            batch_id: "b7e04f19-52c8-4a6d-8d31-0f9a6c2be574",
            camera_id: cameraId,
            detection_count: 1,
            started_at: "2026-02-01T08:29:50.660Z",
            age_seconds: 9.3,
            last_activity_seconds: 9.3,
          },
        ],
        batch_window_seconds: 90,
        idle_timeout_seconds: 30,
      },
      analysis_worker: idle,
      degradation: { mode: "normal", services: breakerStates },
      timestamp: now,
    },
  },
  getTelemetry: {
    reply: {
      queues: { detection_queue: 0, analysis_queue: 0, delivery_queue: 0 },
      latencies: { watch: around(14), detect: around(340), batch: around(40_000), analyze: around(20) },
      websocket: { connected_clients: 2, messages_sent: 1_840, replayed: 12, cut_slow: 0 },
      api_requests: { total: 5_120, by_status: { "200": 5_087, "304": 21, "404": 12 }, p50_ms: 3.4, p99_ms: 41.8 },
      timestamp: now,
    },
  },
  getPipelineLatency: {
    reply: {
      watch_to_detect: around(370),
      detect_to_batch: around(40_000),
      batch_to_analyze: around(450),
      total_pipeline: around(70_000),
    },
  },
  listWorkers: { reply: { workers } },
  listDaemons: {
    reply: {
      daemons: [
        {
          daemon_id: "5f3c1c9e-4f0e-4b2e-9a43-0b8a3f6d2c11",
          ...{ host: "nas", pid: 812, version, started_at: now },
          roles: ["api", "watch", "alert", "deliver", "maintain"],
          singletons: ["file_watcher", "camera_watcher", "alert_worker", "digest_closer", "cleanup_service"],
        },
        {
          daemon_id: "c2d8e7a0-92f5-4f57-8d0c-6f1f6f3f7b90",
          ...{ host: "workstation", pid: 4_410, version, started_at: now },
          roles: ["detect", "analyze"],
          singletons: ["batch_aggregator"],
        },
      ],
    },
  },
  listBreakers: {
    reply: {
      breakers: [
        { name: "detector", ...breaker },
        {
          name: "language_model",
          state: "open",
          failure_count: 3,
          last_failure: "2026-02-01T08:29:44.015Z",
          last_success: "2026-02-01T08:02:10.377Z",
          reset_at: "2026-02-01T08:30:14.015Z",
        },
        { name: "vision", ...breaker },
        { name: "embedder", ...breaker },
        { name: "enrichment", ...breaker },
      ],
    },
  },
  resetBreaker: {
    reply: {
      name: "language_model",
      previous_state: "open",
      state: "closed",
      message: "The circuit breaker of language_model is closed; the service is asked again",
      timestamp: now,
    },
  },
} satisfies ExamplesOf<typeof pipelineRoutes>;
