import { leastFreeDiskShare } from "../../platform/disk/disk.ts";
import type { UpstreamName } from "../../work/operations/upstream-state.ts";

export type OverallStatus = "healthy" | "degraded" | "unhealthy";

/** The facts that determine the overall health. Disabled services are not in `upstreams`. */
export interface HealthFacts {
  readonly databaseOk: boolean;
  readonly storeOk: boolean;
  readonly upstreams: readonly { readonly name: UpstreamName; readonly healthy: boolean; readonly starting?: true }[];
  readonly workers: readonly { readonly critical: boolean; readonly running: boolean }[];
  /** Free share of the fuller disk, 0 to 1, out of the data disk and the picture disk; undefined if unknown. */
  readonly freeDiskShare: number | undefined;
}

/**
 * Derives the overall health: unhealthy if nothing can work, because the database is down or both the detector and the language model
 * are; degraded if anything else that matters is unhealthy, or a built-in service is starting.
 */
export function overallStatus(facts: HealthFacts): OverallStatus {
  const down = new Set(facts.upstreams.filter(({ healthy, starting }) => !healthy && !starting).map(({ name }) => name));
  if (!facts.databaseOk || (down.has("detector") && down.has("language_model"))) return "unhealthy";
  const workerDown = facts.workers.some(({ critical, running }) => critical && !running);
  const diskFull = facts.freeDiskShare !== undefined && facts.freeDiskShare < leastFreeDiskShare;
  return !facts.storeOk || facts.upstreams.some(({ healthy }) => !healthy) || workerDown || diskFull ? "degraded" : "healthy";
}
