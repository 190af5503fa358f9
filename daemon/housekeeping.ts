import { rootsOf } from "../src/cameras/roots.ts";
import { localTimeZone } from "../src/clock/time-zone.ts";
import { createNvidiaSmi } from "../src/gpu/nvidia-smi.ts";
import type { ProcessRow } from "../src/jobs/processes-repository.ts";
import { currentFindings } from "../src/system/findings.ts";
import type { Hub } from "./live/hub.ts";
import type { Parts } from "./parts.ts";
import type { RecentEvents } from "./recent-events.ts";
import type { Selftest } from "./selftest/selftest.ts";
import { createBaselineLearner } from "./workers/baseline-learner.ts";
import { createCameraWatcher } from "./workers/camera-watcher.ts";
import { createCaretaker } from "./workers/caretaker.ts";
import { createCleanupService } from "./workers/cleanup-service.ts";
import { createGpuMonitor } from "./workers/gpu-monitor.ts";
import { createHealthReporter } from "./workers/health-reporter.ts";
import { createSelftestWorker } from "./workers/selftest-worker.ts";
import type { Worker } from "./workers/worker.ts";

/** What some of them tell or ask. */
export interface HousekeepingParts {
  readonly selftest: Selftest;
  readonly recentEvents: RecentEvents;
  readonly hub: () => Hub;
}

/** Makes the workers that no picture passes: who keeps rows true, learns what is usual, measures, deletes by age and looks at the health. */
export function createHousekeeping(
  { context, runtime, upstreams, wake }: Parts,
  own: ProcessRow,
  { selftest, recentEvents, hub }: HousekeepingParts,
): readonly Worker[] {
  const { db, clock, log, config, settings } = context;
  const watching = (): boolean => runtime.workers().find(({ name }) => name === "file_watcher")?.running !== false;
  const onCameras = (): void => {
    wake.journal();
    wake.jobs("alert");
    wake.jobs("deliver");
  };
  const caretaker = createCaretaker({
    db,
    clock,
    log,
    process: own,
    cameraOfflineAfterSeconds: config.cameraOfflineAfterSeconds,
    reidTtlHours: config.reidTtlHours,
    detectorDown: () => {
      const fault = upstreams.fault("detector");
      if (fault !== undefined) return { reason: "unusable", detail: fault };
      const breaker = upstreams.breakers().find(({ name }) => name === "detector");
      return breaker?.state === "open"
        ? { reason: "breaker_open", detail: `The detector does not answer; it is asked again at ${breaker.reset_at?.toISOString()}` }
        : undefined;
    },
    onFreed: () => {
      for (const queue of ["detect", "enrich", "analyze", "alert", "deliver"]) wake.jobs(queue);
    },
    watching,
    onCameras,
  });
  const baselineLearner = createBaselineLearner({
    db,
    clock,
    timeZone: localTimeZone(),
    log,
    watching,
    onTold: () => {
      wake.journal();
      wake.jobs("deliver");
    },
  });
  const gpuMonitor = createGpuMonitor({ db, clock, log, nvidiaSmi: createNvidiaSmi() });
  const cleanupContext = { db, config, settings, clock, log: log.child({ worker: "cleanup_service" }) };
  const cleanupService = createCleanupService(cleanupContext, {
    space: () => runtime.disk(),
    onNews: ({ kind, message }) => {
      recentEvents.add("disk", kind, message);
      currentFindings(context, runtime).then(
        ({ overall }) => hub().broadcastControl("system_status", { status: overall }),
        (error: unknown) => log.warn({ error: String(error) }, "could not tell clients of the disk"),
      );
    },
  });
  const healthReporter = createHealthReporter({
    context,
    runtime,
    processId: own.processId,
    onReported: () => wake.jobs("deliver"),
  });
  const everyMs = config.selftestIntervalMinutes * 60_000;
  const selftests = everyMs > 0 ? [createSelftestWorker({ selftest, everyMs, clock, log })] : [];
  const lookEveryMs = config.cameraCheckSeconds * 1000;
  const cameraWatcher = createCameraWatcher({ db, clock, log, settings, roots: rootsOf(config), onTold: onCameras, everyMs: lookEveryMs });
  return [caretaker, baselineLearner, cameraWatcher, gpuMonitor, cleanupService, healthReporter, ...selftests];
}
