import type { Findings } from "../../src/admin/system/findings.ts";
import type { RecentEvents } from "./recent-events.ts";

/**
 * Adds to the recent history which services failed or recovered since the last round of checks: database, store and upstream services.
 * Skips changes that the history already has, for example from a breaker. A built-in service without an address is still starting.
 */
export function recordServices(recentEvents: RecentEvents, { database, store, upstreams }: Findings): void {
  record("database", database.ok, database.ok ? null : database.error, "PostgreSQL answers again");
  record("store", store.ok, store.ok ? null : store.error, "the store answers again");
  for (const { name, healthy, error, url } of upstreams.ok ? upstreams.value : []) {
    if (url !== "") record(name, healthy, error, `${name} is healthy again`);
  }

  function record(service: string, isHealthy: boolean, error: string | null, recovered: string): void {
    const last = recentEvents.list().find((event) => event.service === service);
    // A service may pass its health check and still hang in use. While its breaker is open, only the breaker reports recovery.
    if (last?.event_type.startsWith("circuit_")) return;
    const wasHealthy = last === undefined || last.event_type === "recovery";
    if (isHealthy === wasHealthy) return;
    recentEvents.add(service, isHealthy ? "recovery" : "failure", isHealthy ? recovered : (error ?? "not healthy"));
  }
}
