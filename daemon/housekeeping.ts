import { createNvidiaSmi } from "../src/admin/gpu/nvidia-smi.ts";
import { minuteMs } from "../src/base/clock/clock.ts";
import { localTimeZone } from "../src/base/clock/time-zone.ts";
import { rootsOf } from "../src/monitoring/cameras/roots.ts";
import type { RecentEvents } from "./health/recent-events.ts";
import type { WorkerContext } from "./pipeline/worker-context.ts";
import type { Selftest } from "./selftest/selftest.ts";
import { createSelftestWorker } from "./selftest/selftest-worker.ts";
import { createBaselineLearner } from "./workers/baseline-learner.ts";
import { createCameraWatcher } from "./workers/camera-watcher.ts";
import { createCaretaker } from "./workers/caretaker.ts";
import { createCleanupService } from "./workers/cleanup-service.ts";
import { createFileCleaner } from "./workers/file-cleaner.ts";
import { createGpuMonitor } from "./workers/gpu-monitor.ts";
import { createHealthReporter } from "./workers/health-reporter.ts";
import type { Worker } from "./workers/loop.ts";

/** Parts that some of these workers use. */
export interface HousekeepingParts {
  readonly selftest: Selftest;
  readonly recentEvents: RecentEvents;
}

/** The workers that handle no pictures. */
export interface Housekeeping {
  /** Workers that every process runs: on its own rows and, if several share a database, on its own files. */
  readonly everywhere: readonly Worker[];
  readonly cameraWatcher: Worker;
  readonly maintaining: readonly Worker[];
}

/** Creates the workers that handle no pictures: they maintain rows, learn baselines, measure, delete old data and check the health. */
export function createHousekeeping(
  { context, runtime, upstreams, peers }: WorkerContext,
  { selftest, recentEvents }: HousekeepingParts,
): Housekeeping {
  const { db, clock, log, config, settings, sealer } = context;
  /** Whether any daemon finds pictures now. */
  const watching = (): boolean =>
    peers.does("file_watcher")
      ? runtime.workers().find(({ name }) => name === "file_watcher")?.running !== false
      : peers
          .others()
          .some(
            ({ singletons, report }) => singletons.includes("file_watcher") && !report?.stopped.some(({ name }) => name === "file_watcher"),
          );
  const caretaker = createCaretaker({
    ...{ db, clock, log, watching },
    beat: (sql) => peers.beat(sql),
    // only the daemon that finds pictures knows how long it has been watching
    checksCameras: () => peers.does("file_watcher"),
    watchedElsewhere: (folderPath) => peers.watchedElsewhere(folderPath),
    // may change at run time
    get cameraOfflineAfterSeconds() {
      return config.cameraOfflineAfterSeconds;
    },
    reidTtlHours: config.reidTtlHours,
    detectorDown: () => {
      if (!peers.roles.includes("detect")) return undefined;
      const fault = upstreams.fault("detector");
      if (fault !== undefined) return { reason: "unusable", detail: fault };
      const breaker = upstreams.breakers().find(({ name }) => name === "detector");
      return breaker?.state === "open"
        ? { reason: "breaker_open", detail: `The detector does not respond; the next attempt is at ${breaker.reset_at?.toISOString()}` }
        : undefined;
    },
  });
  const baselineLearner = createBaselineLearner({ db, clock, timeZone: localTimeZone(), log, watching });
  const gpuMonitor = createGpuMonitor({ db, clock, log, nvidiaSmi: createNvidiaSmi() });
  const cleanupContext = { db, config, settings, clock, sealer, log: log.child({ worker: "cleanup_service" }) };
  const cleanupService = createCleanupService(cleanupContext, {
    data: () => runtime.disk(),
    pictures: () => runtime.pictureDisk(),
    onNews: ({ kind, message }) => recentEvents.add("disk", kind, message),
  });
  const healthReporter = createHealthReporter({ context, runtime, processId: peers.ownId, recentEvents });
  const everyMs = config.selftestIntervalMinutes * minuteMs;
  const selftests = everyMs > 0 ? [createSelftestWorker({ selftest, everyMs, clock, log })] : [];
  const cameraWatcher = createCameraWatcher({
    db,
    clock,
    log,
    settings,
    roots: rootsOf(config),
    everyMs: config.cameraCheckSeconds * 1000,
  });
  // a daemon that is alone deletes its files together with the rows
  const fileCleaners = peers.alone ? [] : [createFileCleaner({ db, config, clock, log })];
  return {
    everywhere: [caretaker, ...fileCleaners],
    cameraWatcher,
    maintaining: [baselineLearner, gpuMonitor, cleanupService, healthReporter, ...selftests],
  };
}
