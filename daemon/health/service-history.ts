import type { Findings } from "../../src/admin/system/findings.ts";
import type { RecentEvents } from "./recent-events.ts";

/**
 * Keeps in the recent history of the health answer what a round of checks found gone or back: the database, the store and the services, as far
 * as the history does not say so already, by a breaker perhaps. A built-in service that has no address yet is still starting.
 */
export function noteServices(history: RecentEvents, { database, store, upstreams }: Findings): void {
  note("database", database.ok, database.ok ? null : database.error, "PostgreSQL answers again");
  note("store", store.ok, store.ok ? null : store.error, "the store answers again");
  for (const { name, healthy, error, url } of upstreams.ok ? upstreams.value : []) {
    if (url !== "") note(name, healthy, error, `${name} is well again`);
  }

  function note(service: string, isWell: boolean, error: string | null, recovered: string): void {
    const last = history.list().find((event) => event.service === service);
    // a service may be well by its health check and hang when it is used: when it is back, the breaker that gave it up says so
    if (last?.event_type.startsWith("circuit_")) return;
    const wasWell = last === undefined || last.event_type === "recovery";
    if (isWell === wasWell) return;
    history.add(service, isWell ? "recovery" : "failure", isWell ? recovered : (error ?? "not healthy"));
  }
}
