import type { Config } from "../../platform/config/config.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { OverallStatus } from "./overall.ts";

/** Interval between two checks of the overall health, in milliseconds. */
export function roundMs({ healthCacheTtlSeconds }: Config): number {
  return Math.max(200, healthCacheTtlSeconds * 1000);
}

/**
 * Creates the filter that delays reports after a start: for four rounds, unless everything was healthy before, an unhealthy part counts
 * as starting.
 */
export function createStartPatience({ clock, config }: OperationContext): (status: OverallStatus) => boolean {
  const patientUntil = clock.monotonic() + 4 * roundMs(config);
  let wasWell = false;
  return (status) => {
    wasWell ||= status === "healthy";
    return wasWell || clock.monotonic() >= patientUntil;
  };
}
