import { leastFreeDiskShare } from "../../platform/disk/disk.ts";
import type { UpstreamName } from "../../work/operations/upstream-state.ts";

export type OverallStatus = "healthy" | "degraded" | "unhealthy";

/** The facts from which the overall health follows. Services that are switched off are left out of `upstreams`. */
export interface HealthFacts {
  readonly databaseOk: boolean;
  readonly storeOk: boolean;
  readonly upstreams: readonly { readonly name: UpstreamName; readonly healthy: boolean }[];
  readonly workers: readonly { readonly critical: boolean; readonly running: boolean }[];
  /** Free part of the disk that has less, 0 to 1: of the one with the data folder and the one with the pictures; undefined when it cannot be told. */
  readonly freeDiskShare: number | undefined;
}

/**
 * The one rule for the overall health: unhealthy when nothing can work, because the database is down or the detector
 * and the language model both are; degraded when anything else that matters is not well.
 */
export function overallStatus(facts: HealthFacts): OverallStatus {
  const down = new Set(facts.upstreams.filter(({ healthy }) => !healthy).map(({ name }) => name));
  if (!facts.databaseOk || (down.has("detector") && down.has("language_model"))) return "unhealthy";
  const workerDown = facts.workers.some(({ critical, running }) => critical && !running);
  const diskFull = facts.freeDiskShare !== undefined && facts.freeDiskShare < leastFreeDiskShare;
  return !facts.storeOk || down.size > 0 || workerDown || diskFull ? "degraded" : "healthy";
}
