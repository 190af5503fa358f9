import type { JournalEntry } from "../../src/contract/live.ts";
import type { QueueName } from "../../src/work/jobs/jobs-repository.ts";
import { promoteJobs } from "../../src/work/jobs/promote-repository.ts";
import type { WakeNote } from "../../src/work/jobs/wakes-repository.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { CircuitState, UpstreamName } from "../../src/work/operations/upstream-state.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { startUpstreams, type Upstreams } from "./upstreams.ts";

/**
 * Starts the upstream services and handles their changes: each change of a breaker is announced and stored for the health response, and
 * waiting jobs start once their service can be called again.
 */
export function startServices(
  options: Omit<Parameters<typeof startUpstreams>[0], "onReady" | "onFault" | "onBreakerChange" | "onCall" | "onDetectorCall"> & {
    readonly recentEvents: RecentEvents;
    readonly announce: (entry: JournalEntry) => Promise<void>;
    /** Wakes jobs that waited for a service. */
    readonly wake: (note: WakeNote) => void;
    readonly metrics: Pick<Metrics, "upstreamAsked" | "detectorAsked" | "breakerOpened">;
  },
): Upstreams {
  const { recentEvents, wake, log, metrics } = options;
  return startUpstreams({
    ...options,
    onReady: (name) => wake(`jobs:${queueOf(name)}`),
    onFault: (name, fault) => recentEvents.add(name, "failure", fault),
    onCall: (name, outcome, seconds) => metrics.upstreamAsked(name, outcome, seconds),
    onDetectorCall: (detector, outcome) => metrics.detectorAsked(detector, outcome),
    onBreakerChange: ({ name, state }, previous, fault) => {
      if (state === "open") metrics.breakerOpened(name);
      recentEvents.add(
        name,
        state === "closed" ? "recovery" : `circuit_${state}`,
        `the circuit breaker of ${name} went from ${previous} to ${state}${state === "open" && fault ? `: ${fault}` : ""}`,
      );
      if (state !== "open") wake(`jobs:${queueOf(name)}`);
      options
        .announce({ type: "circuit_breaker", data: { name, state, previous_state: previous } })
        .catch((error: unknown) => log.warn({ service: name, error: String(error) }, "could not announce the breaker's state"));
    },
  });
}

/** Closes a service's breaker in any state and makes the jobs that waited for it due now. Returns the breaker's previous state. */
export async function resetBreaker(
  name: UpstreamName,
  { db, clock, upstreams }: Pick<OperationContext, "db" | "clock"> & { readonly upstreams: Upstreams },
): Promise<CircuitState> {
  const previous = upstreams.resetBreaker(name);
  await db.query((sql) => promoteJobs(sql, queueOf(name), clock.now()));
  return previous;
}

/** The queue whose jobs wait for a service. */
function queueOf(name: UpstreamName): QueueName {
  if (name === "detector") return "detect";
  return name === "language_model" || name === "language_model_fallback" ? "analyze" : "enrich";
}
