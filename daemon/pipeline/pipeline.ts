import { hourMs, minuteMs } from "../../src/base/clock/durations.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import type { Closed } from "../../src/monitoring/batches/aggregation.ts";
import { createRecognition } from "../../src/monitoring/entities/recognition.ts";
import { mostAtBuiltIn } from "../../src/monitoring/upstream/detector-pace.ts";
import { createAlertStage } from "../../src/pipeline/alert.ts";
import { createAnalyzeStage } from "../../src/pipeline/analyze.ts";
import { createDetectStage } from "../../src/pipeline/detect.ts";
import { createEnrichStage } from "../../src/pipeline/enrich.ts";
import type { QueueName } from "../../src/work/jobs/jobs-repository.ts";
import { createBatchAggregator } from "../workers/batch-aggregator.ts";
import type { Loop } from "../workers/loop.ts";
import { createQueueWorker } from "../workers/queue-worker.ts";
import type { Worker } from "../workers/worker.ts";
import { deliverySettings } from "./delivering.ts";
import type { WorkerContext } from "./worker-context.ts";

/** A look at pictures: 30 s for the detector and time to spare for the database; a video of 30 frames in a row. */
const detectLeaseMs = 20 * minuteMs;
/** Three services, each within its read timeout, look at each of 32 objects; breakers end that long before. */
const enrichLeaseMs = hourMs;
/** Rules look at an event: some statements, which may wait for others who do the same. */
const alertLeaseMs = 2 * minuteMs;

/** A picture may be what kills the process, but one that lay at the detector when it was killed for other reasons must not be lost. */
const mostBegunPicture = 20;
/** That the process dies is hardly ever the fault of an event, and each one may be worth an alert: as with messages, only what never ends is given up. */
const eventMaxAttempts = 100;

/** The workers from a registered picture to an event that rules have seen. */
export interface Pipeline {
  readonly detection: Worker;
  readonly aggregator: Loop;
  readonly enrichment: Worker;
  readonly analysis: Worker;
  readonly alerting: Worker;
}

/** Makes the stages and the workers that run them. Nothing runs yet. */
export function createPipeline(parts: WorkerContext): Pipeline {
  const { upstreams, metrics } = parts;
  const { db, clock, log, config, settings } = parts.context;
  const onClosed = (closed: readonly Closed[]): void => {
    const now = clock.now().getTime();
    for (const { batchId, closeReason, openedAt, event } of closed) {
      metrics.stageDone("batch", (now - openedAt.getTime()) / 1_000);
      const what = { event: event?.id, camera: event?.camera_id, detections: event?.detection_count, close_reason: closeReason };
      log.info({ worker: "batch_aggregator", stage: "batch", trace: batchId, ...what }, "a batch became an event");
    }
  };

  const atDetector = Math.min(config.detectConcurrency, config.detectorUrl === undefined ? mostAtBuiltIn : Number.POSITIVE_INFINITY);
  const detection = queueWorker(parts, "detection_worker", "detect", {
    critical: true,
    concurrency: atDetector,
    mostAhead: 3 * atDetector,
    leaseMs: detectLeaseMs,
    mostBegun: mostBegunPicture,
    stage: createDetectStage({
      db,
      clock,
      log: log.child({ worker: "detection_worker" }),
      settings,
      batchMaxDetections: config.batchMaxDetections,
      enrichmentWaitMs: () => upstreams.enrichmentWaitMs(),
      detector: upstreams.detector,
      atDetector,
      fresh: parts.fresh,
      mostUnstored: parts.dispatcher.kind === "in-process" ? Number.POSITIVE_INFINITY : atDetector,
      detectorAnsweredAt: () => upstreams.answeredAt("detector"),
      onClosed,
      onOutcome: (outcome) => metrics.pictureDone(outcome),
    }),
    capacity: () => upstreams.capacity("detector"),
  });

  const aggregator = createBatchAggregator({
    db,
    clock,
    settings,
    enrichmentWaitMs: () => upstreams.enrichmentWaitMs(),
    log,
    onClosed,
  });

  const enrichment = queueWorker(parts, "enrichment_worker", "enrich", {
    critical: false,
    // the detections on a picture are looked at one after the other: so many vectors are made at once
    concurrency: config.reidMaxConcurrent,
    leaseMs: enrichLeaseMs,
    stage: createEnrichStage({
      db,
      clock,
      log: log.child({ worker: "enrichment_worker" }),
      settings,
      services: upstreams.enrichment,
      recognition: createRecognition({
        db,
        clock,
        threshold: config.reidSimilarityThreshold,
        ttlMs: config.reidTtlHours * hourMs,
      }),
    }),
    // what is found while a built-in service starts waits for it
    capacity: () => (upstreams.enrichment.isStarting() ? 0 : Number.POSITIVE_INFINITY),
  });

  const analysis = queueWorker(parts, "analysis_worker", "analyze", {
    critical: true,
    concurrency: config.analyzeConcurrency,
    leaseMs: config.languageModelReadTimeout * 2_000 + 60_000,
    maxAttempts: eventMaxAttempts,
    stage: createAnalyzeStage({
      db,
      clock,
      log: log.child({ worker: "analysis_worker" }),
      settings,
      timeZone: localTimeZone(),
      languageModel: upstreams.languageModel,
      languageModelAnsweredAt: () => upstreams.answeredAt("language_model"),
    }),
    capacity: () => upstreams.capacity("language_model"),
  });

  const alerting = queueWorker(parts, "alert_worker", "alert", {
    critical: false,
    // one after the other: of events that come together the first raises the alert, the others are held back
    concurrency: 1,
    leaseMs: alertLeaseMs,
    maxAttempts: eventMaxAttempts,
    stage: createAlertStage({
      db,
      clock,
      log: log.child({ worker: "alert_worker" }),
      delivery: deliverySettings(config),
      onVerdicts: (verdicts) => metrics.ruleVerdicts(verdicts),
    }),
    capacity: () => Number.POSITIVE_INFINITY,
  });

  return { detection, aggregator, enrichment, analysis, alerting };
}

function queueWorker(
  { context, processId, dispatcher, metrics }: WorkerContext,
  name: string,
  queue: QueueName,
  how: Pick<
    Parameters<typeof createQueueWorker>[0],
    "critical" | "concurrency" | "mostAhead" | "leaseMs" | "maxAttempts" | "mostBegun" | "stage" | "capacity"
  >,
): Worker {
  return createQueueWorker({
    name,
    queue,
    ...how,
    dispatcher,
    db: context.db,
    processId,
    clock: context.clock,
    log: context.log,
    onDone: (seconds, failed) => {
      metrics.stageDone(queue, seconds);
      if (failed) metrics.jobFailed(queue);
    },
  });
}
