import type { z } from "zod";
import type { systemRoutes } from "../routes/system.ts";
import type { SystemConfig } from "../routes/system-config.ts";
import type { ExamplesOf } from "./example.ts";
import { healthExamples } from "./health.ts";
import { now, version } from "./ids.ts";
import { pipelineExamples } from "./pipeline.ts";

const config = {
  batch_timeout_seconds: 90,
  batch_idle_timeout_seconds: 30,
  retention_days: 30,
  detection_confidence_threshold: 0.5,
  vision_url: null,
  embedder_url: null,
  enrichment_url: null,
  vision_extraction_enabled: true,
  reid_enabled: true,
  scene_change_enabled: true,
  risk_score_thresholds: { low: 0, medium: 30, high: 60, critical: 80 },
} satisfies z.input<typeof SystemConfig>;

const passed = { status: "passed" as const, detail: null };

const alive = { reply: { status: "alive" as const, version } };

export const systemExamples = {
  ...healthExamples,
  ...pipelineExamples,
  getConfig: { reply: config },
  updateConfig: {
    body: { batch_idle_timeout_seconds: 20, risk_score_thresholds: { critical: 85 }, reset: ["retention_days"] },
    reply: { ...config, batch_idle_timeout_seconds: 20, risk_score_thresholds: { ...config.risk_score_thresholds, critical: 85 } },
  },
  getStorage: {
    reply: {
      disk_used_bytes: 41_203_904_512,
      disk_total_bytes: 125_271_277_568,
      disk_free_bytes: 77_661_974_528,
      disk_usage_percent: 34.66,
      thumbnails: { file_count: 212, size_bytes: 2_713_600 },
      images: { file_count: 55_831, size_bytes: 9_802_334_208 },
      database_bytes: 148_897_792,
      events_count: 1_204,
      detections_count: 90_212,
      gpu_stats_count: 0,
      logs_count: 7,
      timestamp: now,
    },
  },
  cleanUp: {
    reply: {
      events_deleted: 31,
      detections_deleted: 2_204,
      gpu_stats_deleted: 0,
      logs_deleted: 1,
      thumbnails_deleted: 14,
      images_deleted: 0,
      space_reclaimed: 413_184,
      retention_days: 30,
      dry_run: true,
      timestamp: now,
    },
  },
  runSelftest: {
    reply: {
      status: "passed",
      message: "A picture went through all stages in 2104 ms",
      started_at: now,
      duration_ms: 2_104,
      timeout_seconds: 60,
      detector: "built-in",
      stages: [
        { name: "workers", ...passed, at_ms: 0, took_ms: 0 },
        { name: "registered", ...passed, at_ms: 41, took_ms: 41 },
        { name: "detected", ...passed, at_ms: 402, took_ms: 361 },
        { name: "batched", ...passed, at_ms: 409, took_ms: 7 },
        { name: "event_stored", ...passed, at_ms: 1_712, took_ms: 1_303 },
        { name: "judged", ...passed, at_ms: 1_940, took_ms: 228 },
        { name: "alert_evaluated", ...passed, at_ms: 2_015, took_ms: 75 },
        { name: "published", ...passed, at_ms: 2_104, took_ms: 89, detail: "message 18" },
      ],
    },
  },
  alive,
  apiAlive: alive,
} satisfies ExamplesOf<typeof systemRoutes>;
