import type { Config } from "../../platform/config/config.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { OverallStatus } from "./overall.ts";

/** Interval between two checks of the overall health, in milliseconds. */
export function healthIntervalMs({ healthCacheTtlSeconds }: Config): number {
  return Math.max(200, healthCacheTtlSeconds * 1000);
}

/**
 * Creates the filter that delays reports after a start: for four rounds, unless everything was healthy before, an unhealthy part counts
 * as starting.
 */
export function createStartupGrace({ clock, config }: OperationContext): (status: OverallStatus) => boolean {
  const graceUntil = clock.monotonic() + 4 * healthIntervalMs(config);
  let wasHealthy = false;
  return (status) => {
    wasHealthy ||= status === "healthy";
    return wasHealthy || clock.monotonic() >= graceUntil;
  };
}
