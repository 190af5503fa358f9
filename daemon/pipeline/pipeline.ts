import { createImmediateRules } from "../../src/alerting/rules/immediate.ts";
import { hourMs, minuteMs } from "../../src/base/clock/clock.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import type { Closed } from "../../src/monitoring/batches/aggregation.ts";
import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import { createRecognition } from "../../src/monitoring/entities/recognition.ts";
import { cropsOfEvent } from "../../src/monitoring/events/crops.ts";
import { mostAtBuiltIn } from "../../src/monitoring/upstream/detector-pace.ts";
import { createAlertStage } from "../../src/pipeline/alert.ts";
import { createAnalyzeStage } from "../../src/pipeline/analyze.ts";
import { createDetectStage } from "../../src/pipeline/detect.ts";
import { createEnrichStage } from "../../src/pipeline/enrich.ts";
import type { JudgeChain } from "../../src/pipeline/judge-chain.ts";
import { builtInDetector, detectorList } from "../../src/platform/config/detector-address.ts";
import type { QueueName } from "../../src/work/jobs/jobs-repository.ts";
import { createBatchAggregator } from "../workers/batch-aggregator.ts";
import type { Loop, Worker } from "../workers/loop.ts";
import { createQueueWorker } from "../workers/queue-worker.ts";
import { deliverySettings } from "./delivering.ts";
import type { WorkerContext } from "./worker-context.ts";

/** One detection job: 50 s for three detectors and time to spare for the database, for up to 30 consecutive frames of a video. */
const detectLeaseMs = 30 * minuteMs;
/** One enrichment job: three services, each with its read timeout, for up to 32 objects. Breakers end it long before. */
const enrichLeaseMs = hourMs;
/** One evaluation of the rules: a few statements, which may wait for other evaluations. */
const alertLeaseMs = 2 * minuteMs;

/** A picture may crash the process. But a picture that was in progress when the process was killed for another reason must not be lost. */
const mostBegunPicture = 20;
/** An event hardly ever crashes the process, and each one may be worth an alert. As for messages, only a job that never ends fails. */
const eventMaxAttempts = 100;

/** The workers that take a registered picture to an event that the rules have evaluated. */
export interface Pipeline {
  readonly detection: Worker;
  readonly aggregator: Loop;
  readonly enrichment: Worker;
  readonly analysis: Worker;
  readonly alerting: Worker;
}

/** Creates the stages and the workers that run them. Nothing runs yet. */
export function createPipeline(parts: WorkerContext): Pipeline {
  const { upstreams, metrics } = parts;
  const { db, clock, log, settings } = parts.context;
  const onClosed = (closed: readonly Closed[]): void => {
    const now = clock.now().getTime();
    for (const { batchId, closeReason, openedAt, event } of closed) {
      metrics.stageDone("batch", (now - openedAt.getTime()) / 1_000);
      const what = { event: event?.id, camera: event?.camera_id, detections: event?.detection_count, close_reason: closeReason };
      log.info({ worker: "batch_aggregator", stage: "batch", trace: batchId, ...what }, "a batch became an event");
    }
  };
  return {
    detection: detectionWorker(parts, onClosed),
    aggregator: createBatchAggregator({ db, clock, settings, enrichmentWaitMs: () => upstreams.enrichmentWaitMs(), log, onClosed }),
    enrichment: enrichmentWorker(parts),
    analysis: analysisWorker(parts),
    alerting: alertWorker(parts),
  };
}

function isBuiltInAlone(configured: string | null): boolean {
  return detectorList(configured).every((address) => address === builtInDetector);
}

function detectionWorker(parts: WorkerContext, onClosed: (closed: readonly Closed[]) => void): Worker {
  const { upstreams, metrics } = parts;
  const { db, clock, log, config, settings } = parts.context;
  const atDetector = Math.min(
    config.detectConcurrency,
    isBuiltInAlone(settings.current().detectorUrl) ? mostAtBuiltIn : Number.POSITIVE_INFINITY,
  );
  return queueWorker(parts, "detection_worker", "detect", {
    critical: true,
    concurrency: atDetector,
    maxAhead: 3 * atDetector,
    leaseMs: detectLeaseMs,
    mostBegun: mostBegunPicture,
    stage: createDetectStage({
      ...{ db, clock, log: log.child({ worker: "detection_worker" }), settings },
      batchMaxDetections: config.batchMaxDetections,
      parking: { classes: config.parkedClasses, afterMs: config.parkedAfterMinutes * minuteMs },
      immediateRules: createImmediateRules({ db, clock }),
      enrichmentWaitMs: () => upstreams.enrichmentWaitMs(),
      detector: upstreams.detector,
      atDetector,
      fresh: parts.fresh,
      maxUnstored: parts.dispatcher.kind === "in-process" ? Number.POSITIVE_INFINITY : atDetector,
      detectorAnsweredAt: () => upstreams.answeredAt("detector"),
      onClosed,
      onOutcome: (outcome, leftOut) => metrics.pictureDone(outcome, leftOut),
    }),
    capacity: () => upstreams.capacity("detector"),
  });
}

function enrichmentWorker(parts: WorkerContext): Worker {
  const { enrichment: services } = parts.upstreams;
  const { db, clock, log, config, settings } = parts.context;
  return queueWorker(parts, "enrichment_worker", "enrich", {
    critical: false,
    // the detections of a picture are processed one by one, so this is the number of embeddings computed at once
    concurrency: config.reidMaxConcurrent,
    leaseMs: enrichLeaseMs,
    stage: createEnrichStage({
      ...{ db, clock, log: log.child({ worker: "enrichment_worker" }), settings, services },
      recognition: createRecognition({ db, clock, threshold: config.reidSimilarityThreshold, ttlMs: config.reidTtlHours * hourMs }),
    }),
    // detections found while a built-in service starts wait for it
    capacity: () => (services.isStarting() ? 0 : Number.POSITIVE_INFINITY),
  });
}

function analysisWorker(parts: WorkerContext): Worker {
  const { upstreams } = parts;
  const { db, clock, log, config, settings } = parts.context;
  const chain: JudgeChain = {
    isBuiltIn: config.languageModelUrl === undefined,
    fallback: upstreams.secondModel,
    patienceMs: config.languageModelPatienceSeconds * 1_000,
    rejudges: config.languageModelRejudge,
  };
  const mayStepIn = !chain.isBuiltIn && (chain.fallback !== undefined || chain.patienceMs > 0);
  return queueWorker(parts, "analysis_worker", "analyze", {
    critical: true,
    concurrency: config.analyzeConcurrency,
    // At most five requests of each model: whether it sees, two answers, a refusal of more tokens, and a reference request.
    leaseMs: config.languageModelReadTimeout * (chain.fallback ? 10_000 : 5_000) + 60_000,
    maxAttempts: eventMaxAttempts,
    stage: createAnalyzeStage({
      ...{ db, clock, log: log.child({ worker: "analysis_worker" }), settings },
      timeZone: localTimeZone(),
      languageModel: upstreams.languageModel,
      languageModelAnsweredAt: () => upstreams.answeredAt("language_model"),
      chain,
      ...(config.languageModelPictures !== "off" && {
        cropsOf: (eventId, signal) => cropsOfEvent({ db, roots: rootsOf(config) }, eventId, signal),
      }),
    }),
    // while the first model is away, the second judges, and the built-in scorer those that have waited
    capacity: () => (mayStepIn ? Number.POSITIVE_INFINITY : upstreams.capacity("language_model")),
  });
}

function alertWorker(parts: WorkerContext): Worker {
  const { db, clock, log, config } = parts.context;
  return queueWorker(parts, "alert_worker", "alert", {
    critical: false,
    // one at a time: the first of several simultaneous events raises the alert, and the cooldown covers the others
    concurrency: 1,
    leaseMs: alertLeaseMs,
    maxAttempts: eventMaxAttempts,
    stage: createAlertStage({
      ...{ db, clock, log: log.child({ worker: "alert_worker" }) },
      delivery: deliverySettings(config),
      onVerdicts: (verdicts) => parts.metrics.ruleVerdicts(verdicts),
    }),
    capacity: () => Number.POSITIVE_INFINITY,
  });
}

function queueWorker(
  { context, processId, dispatcher, metrics }: WorkerContext,
  name: string,
  queue: QueueName,
  how: Pick<
    Parameters<typeof createQueueWorker>[0],
    "critical" | "concurrency" | "maxAhead" | "leaseMs" | "maxAttempts" | "mostBegun" | "stage" | "capacity"
  >,
): Worker {
  return createQueueWorker({
    ...{ name, queue, dispatcher, processId, ...how },
    ...{ db: context.db, clock: context.clock, log: context.log },
    onDone: (seconds, failed) => {
      metrics.stageDone(queue, seconds);
      if (failed) metrics.jobFailed(queue);
    },
  });
}
