import { collectDefaultMetrics, Registry } from "prom-client";
import { createDatabaseGauges } from "./database-gauges.ts";
import { type ProcessSources, registerProcessMetrics } from "./process.ts";
import { type SlowSources, staleWhileRevalidate } from "./stale-while-revalidate.ts";
import { createCameraLabels, createWorkMetrics, type Work } from "./work.ts";

/** The metrics of one daemon. */
export interface Metrics extends Work {
  /** Prometheus text. */
  text(): Promise<string>;
}

/** Gauges of prom-client that are named like counters. */
const misnamed = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** The metrics of a daemon, whose parts are created later. */
export interface DaemonMetrics extends Metrics {
  /** Attaches what each scrape reads. Call it once, before the first scrape. */
  observe(sources: ProcessSources & SlowSources): void;
}

/** Creates the metrics of one daemon in a separate registry. */
export function createMetrics(): DaemonMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const cameras = createCameraLabels();
  let refresh = async (): Promise<void> => {};
  return {
    ...createWorkMetrics(registry, cameras),
    observe: (sources) => {
      registerProcessMetrics(registry, sources);
      const update = createDatabaseGauges(registry, cameras);
      const [figures, disks] = [staleWhileRevalidate(sources.figures), staleWhileRevalidate(sources.disks)];
      refresh = async () => update(...(await Promise.all([figures(), disks()])));
    },
    text: async () => {
      await refresh();
      return await registry.metrics();
    },
  };
}

/** Returns metrics that are not exposed, for work that does not belong to the home. */
export function unexposedMetrics(): Metrics {
  return { ...createWorkMetrics(new Registry(), createCameraLabels()), text: async () => "" };
}
