import type { z } from "zod";
import type { PipelineReply } from "../../contract/routes/system-pipeline.ts";
import { activeBatches } from "../../monitoring/batches/batches-repository.ts";
import { countJobs, type QueueCounts } from "../../work/jobs/jobs-repository.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import type { BreakerState } from "../../work/operations/upstream-state.ts";

type Pipeline = z.output<typeof PipelineReply>;

/** Returns the current work of each pipeline stage. */
export async function currentPipeline(context: OperationContext, runtime: Runtime): Promise<Pipeline> {
  const now = context.clock.now();
  const { counts, batches } = await context.db.query(async (sql) => ({
    counts: await countJobs(sql, now),
    batches: await activeBatches(sql),
  }));
  const isRunning = (name: string): boolean => runtime.workers().some((worker) => worker.name === name && worker.running);
  const watcher = runtime.watcher();
  const settings = context.settings.current();
  return {
    file_watcher: {
      running: watcher.running,
      camera_root: watcher.cameraRoot,
      pending: watcher.pending,
      stuck: watcher.stuck.map(({ path, reason, since }) => ({ path, reason, since })),
      passed_over: [...(watcher.passedOver ?? [])],
      watch_mode: watcher.watchMode,
    },
    detection_worker: { running: isRunning("detection_worker"), ...queueFields(counts.detect) },
    batch_aggregator: {
      running: isRunning("batch_aggregator"),
      active_batches: batches.length,
      batches: batches.map((batch) => ({
        batch_id: batch.batchId,
        camera_id: batch.cameraId,
        detection_count: batch.detectionCount,
        started_at: batch.startedAt,
        age_seconds: secondsBetween(batch.openedAt, now),
        last_activity_seconds: secondsBetween(batch.joinedAt, now),
      })),
      batch_window_seconds: settings.batchWindowSeconds,
      idle_timeout_seconds: settings.batchIdleTimeoutSeconds,
    },
    analysis_worker: { running: isRunning("analysis_worker"), ...queueFields(counts.analyze) },
    degradation: degradationOf(runtime.breakers()),
    timestamp: now,
  };
}

function queueFields({ waiting, deferred, inProgress, dead, oldestWaitingSeconds }: QueueCounts) {
  const oldest = oldestWaitingSeconds === null ? null : Math.max(0, oldestWaitingSeconds);
  return { waiting, deferred, in_progress: inProgress, dead, oldest_waiting_seconds: oldest };
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1000);
}

/** Describes the service while breakers are open: `normal`, `degraded`, or `offline` without both essential services. */
function degradationOf(breakers: readonly BreakerState[]): Pipeline["degradation"] {
  const services = Object.fromEntries(breakers.map(({ name, state }) => [name, state]));
  const isDown = (name: string): boolean => services[name] !== undefined && services[name] !== "closed";
  const mode = isDown("detector") && isDown("language_model") ? "offline" : Object.keys(services).some(isDown) ? "degraded" : "normal";
  return { mode, services };
}
