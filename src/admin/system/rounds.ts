import type { Config } from "../../platform/config/config.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { OverallStatus } from "./overall.ts";

/** So often those look who tell when the overall health changes, in ms. */
export function roundMs({ healthCacheTtlSeconds }: Config): number {
  return Math.max(200, healthCacheTtlSeconds * 1000);
}

/** Makes the judgement whether a status is to be told: for four rounds, unless all was well before, what is not well is taken for still starting. */
export function createStartPatience({ clock, config }: OperationContext): (status: OverallStatus) => boolean {
  const patientUntil = clock.monotonic() + 4 * roundMs(config);
  let wasWell = false;
  return (status) => {
    wasWell ||= status === "healthy";
    return wasWell || clock.monotonic() >= patientUntil;
  };
}
