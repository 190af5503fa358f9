import type { z } from "zod";
import { hourMs, minuteMs } from "../../base/clock/clock.ts";
import type { PipelineLatencyReply, TelemetryReply } from "../../contract/routes/system-pipeline.ts";
import { countJobs, type QueueCounts } from "../../work/jobs/jobs-repository.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import {
  analyzeLatency,
  batchLatency,
  batchToAnalyzeLatency,
  detectLatency,
  totalLatency,
  watchLatency,
  watchToDetectLatency,
} from "./latency-repository.ts";

const windowMs = hourMs;

/** Returns queues, latencies of the last hour, live clients and requests. */
export async function currentTelemetry(context: OperationContext, runtime: Runtime): Promise<z.output<typeof TelemetryReply>> {
  const now = context.clock.now();
  const since = new Date(now.getTime() - windowMs);
  const { queues, latencies } = await context.db.query(async (sql) => ({
    queues: await countJobs(sql, now),
    latencies: {
      watch: await watchLatency(sql, since),
      detect: await detectLatency(sql, since),
      batch: await batchLatency(sql, since),
      analyze: await analyzeLatency(sql, since),
    },
  }));
  const live = runtime.live();
  const requests = runtime.requests();
  return {
    queues: { detection_queue: depthOf(queues.detect), analysis_queue: depthOf(queues.analyze), delivery_queue: depthOf(queues.deliver) },
    latencies,
    websocket: {
      connected_clients: live.connectedClients,
      messages_sent: live.messagesSent,
      replayed: live.replayed,
      cut_slow: live.cutSlow,
    },
    api_requests: { total: requests.total, by_status: { ...requests.byStatus }, p50_ms: requests.p50Ms, p99_ms: requests.p99Ms },
    timestamp: now,
  };
}

const depthOf = ({ waiting, deferred }: QueueCounts): number => waiting + deferred;

/** Returns how long pictures took from stage to stage in the last minutes. */
export async function pipelineLatency(context: OperationContext, windowMinutes: number): Promise<z.output<typeof PipelineLatencyReply>> {
  const since = new Date(context.clock.now().getTime() - windowMinutes * minuteMs);
  return await context.db.query(async (sql) => ({
    watch_to_detect: await watchToDetectLatency(sql, since),
    detect_to_batch: await batchLatency(sql, since),
    batch_to_analyze: await batchToAnalyzeLatency(sql, since),
    total_pipeline: await totalLatency(sql, since),
  }));
}
