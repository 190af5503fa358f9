import type { LiveData } from "./data.ts";

/** Polled values older than this are stale: three missed polls of the health, four of the metrics. */
const healthStaleMs = 15_000;
const metricsStaleMs = 45_000;

/** When the connection was lost, which makes the lists stale. Undefined while connected, and before the lists are loaded. */
export function staleSince({ link, isLoaded }: LiveData): Date | undefined {
  return link.kind === "interrupted" && isLoaded ? link.since : undefined;
}

/**
 * The time of a polled value that is stale; undefined while it is fresh or missing. Stale: without a connection, received before the
 * daemon came back, or not renewed for several polls.
 */
export function polledStaleSince(data: LiveData, what: "health" | "pipeline" | "telemetry", now: Date): Date | undefined {
  const at = data.receivedAt[what];
  if (at === undefined) return undefined;
  const limit = what === "health" ? healthStaleMs : metricsStaleMs;
  const isFresh = data.link.kind === "connected" && at >= data.link.since && now.getTime() - at.getTime() <= limit;
  return isFresh ? undefined : at;
}
