import { createFreshContent } from "../src/monitoring/images/fresh-content.ts";
import type { OperationContext } from "../src/work/operations/operation.ts";
import { createAnswerReader } from "./answers/answer-reader.ts";
import type { FileWatcher } from "./file-watcher/file-watcher.ts";
import type { Foundation } from "./foundation.ts";
import { createHousekeeping } from "./housekeeping.ts";
import { createMqttWorker } from "./mqtt/mqtt-worker.ts";
import { createDelivering } from "./pipeline/delivering.ts";
import { createPipeline } from "./pipeline/pipeline.ts";
import { createWaker } from "./pipeline/waker.ts";
import { createWatching } from "./pipeline/watching.ts";
import type { WorkerContext } from "./pipeline/worker-context.ts";
import { createAllReceivers } from "./receivers/all-receivers.ts";
import { createPulling } from "./receivers/pulling.ts";
import type { Receivers } from "./receivers/receivers.ts";
import type { DaemonRuntime } from "./runtime.ts";
import { createSelftestAlarm } from "./selftest/alarm.ts";
import { createSelftest, type Selftest } from "./selftest/selftest.ts";
import { createPublisher } from "./workers/publisher.ts";
import { createSupervisor, type Supervisor } from "./workers/supervisor.ts";

/** The workers of this daemon with their supervisor. None runs yet. */
export interface AllWorkers {
  readonly supervisor: Supervisor;
  readonly watcher: FileWatcher;
  readonly receivers: Receivers;
  readonly selftest: Selftest;
  /** Wakes the worker that has work after a commit with this note. */
  readonly wake: (note: string) => void;
}

/** Creates all workers that this daemon runs. */
export function createAllWorkers(
  foundation: Foundation,
  options: {
    readonly context: OperationContext;
    readonly runtime: DaemonRuntime;
    readonly onPictures: ((cameraId: string, paths: readonly string[]) => void) | undefined;
  },
): AllWorkers {
  const { log, clock, recentEvents, engines, cluster, announce, metrics, upstreams, tls } = foundation;
  const { database, dispatcher, deliveryDispatcher } = engines;
  const { context, runtime } = options;
  const workerContext: WorkerContext = {
    ...{ context, runtime, upstreams, dispatcher, deliveryDispatcher, metrics },
    processId: foundation.own.processId,
    fresh: createFreshContent(),
    peers: cluster.peers,
  };
  const publisher = createPublisher({
    db: database.db,
    log,
    onPublished: (rows) => {
      metrics.published(rows);
      runtime.publish(rows);
    },
  });
  const pipeline = createPipeline(workerContext);
  const { receivers, mqttReceiver } = createAllReceivers(workerContext, { tls, recentEvents });
  const watcher = createWatching(workerContext, (cameraId, paths) => {
    receivers.onPictures(cameraId, paths);
    options.onPictures?.(cameraId, paths);
  });
  const selftest = createSelftest({
    parts: workerContext,
    openSchema: (schema, max) => database.openSchema(schema, max),
    onReport: createSelftestAlarm({ log, recentEvents, announce, metrics }),
  });
  const { deliveryWorker, digestCloser } = createDelivering(workerContext, recentEvents);
  const housekeeping = createHousekeeping(workerContext, { selftest, recentEvents });
  const supervisor = createSupervisor({
    // the supervisor starts them in this order: consumers of work before those that find it
    workers: cluster.ownWorkers([
      publisher,
      deliveryWorker,
      digestCloser,
      ...[pipeline.analysis, pipeline.alerting, pipeline.aggregator, pipeline.enrichment, pipeline.detection],
      watcher,
      receivers,
      createPulling(workerContext),
      mqttReceiver,
      createAnswerReader({ ...context, log: log.child({ part: "answers" }), onAnswer: (outcome) => metrics.phoneAnswered(outcome) }),
      createMqttWorker({ context, recentEvents, version: foundation.version }),
      ...housekeeping.everywhere,
      housekeeping.cameraWatcher,
      ...housekeeping.maintaining,
    ]),
    clock,
    log,
    announce: async (entry) => {
      if (entry.type === "worker_status") {
        recentEvents.add(entry.data.name, entry.data.running ? "recovery" : "failure", entry.data.message ?? "runs again");
      }
      await announce(entry);
    },
  });
  const wake = createWaker({ publisher, aggregator: pipeline.aggregator, watcher, dispatcher, deliveryDispatcher });
  return { supervisor, watcher, receivers, selftest, wake };
}
