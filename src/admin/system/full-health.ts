import type { z } from "zod";
import type { WithStatus } from "../../contract/answer.ts";
import type { AiServiceHealth, BreakerSummary, FullHealthReply } from "../../contract/routes/system-health.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import type { BreakerState, UpstreamName, UpstreamState } from "../../work/operations/upstream-state.ts";
import { currentFindings, type Findings, stoppedWorkers, supervisorFault } from "./findings.ts";
import { aiHealth, databaseHealth, storeHealth } from "./health.ts";

type FullHealth = z.output<typeof FullHealthReply>;
type AiService = z.output<typeof AiServiceHealth>;

const displayNames: Readonly<Record<UpstreamName, string>> = {
  detector: "Detector",
  language_model: "Language model",
  language_model_fallback: "Second language model",
  vision: "Vision",
  embedder: "Embedder",
  enrichment: "Enrichment",
};

/** Returns the health of every part; status 503 unless everything is healthy. */
export async function currentFullHealth(context: OperationContext, runtime: Runtime): Promise<FullHealth | WithStatus<FullHealth>> {
  const findings = await currentFindings(context, runtime);
  const { upstreams } = findings;
  const breakers = runtime.breakers();
  const database = databaseHealth(context, findings.database);
  const store = storeHealth(context, findings.store);
  const reply: FullHealth = {
    status: findings.overall,
    ready: isReady(findings),
    message: messageOf(findings, [database, store, aiHealth(upstreams)]),
    database: { name: "database", ...database },
    store: { name: "store", ...store },
    ai_services: upstreams.ok
      ? upstreams.value.map((service) => answeredService(service, breakers))
      : breakers.map((breaker) => unaskedService(breaker, upstreams.error, findings.timestamp)),
    circuit_breakers: summaryOf(breakers),
    workers: findings.workers.map(({ name, running, critical }) => ({ name, running, critical })),
    timestamp: findings.timestamp,
    version: runtime.version,
  };
  return findings.overall === "healthy" ? reply : { status: 503, reply };
}

function isReady({ database, store, workers, supervisorAlive }: Findings): boolean {
  return database.ok && store.ok && stoppedWorkers(workers).length === 0 && supervisorAlive;
}

/** Summarises everything unhealthy in one sentence. */
function messageOf(findings: Findings, services: readonly { readonly status: string; readonly message: string }[]): string {
  const faults = [
    ...services.filter(({ status }) => status !== "healthy").map(({ message }) => message),
    ...stoppedWorkers(findings.workers).map(({ name, message }) => `${name}: ${message ?? "does not run"}`),
    ...(findings.supervisorAlive ? [] : [supervisorFault]),
    ...findings.lowDisks,
  ];
  return faults.length === 0 ? "Everything works" : faults.join("; ");
}

function answeredService(service: UpstreamState, breakers: readonly BreakerState[]): AiService {
  return {
    name: service.name,
    display_name: displayNames[service.name],
    status: service.healthy ? "healthy" : service.starting ? "unknown" : "unhealthy",
    url: service.url,
    response_time_ms: service.responseMs,
    circuit_state: breakers.find(({ name }) => name === service.name)?.state ?? "closed",
    error: service.error,
    note: service.note ?? null,
    last_check: service.checkedAt,
  };
}

/** Describes a service whose probe did not finish in time: only its breaker is known. */
function unaskedService({ name, state }: BreakerState, error: string, last_check: Date): AiService {
  return {
    name,
    display_name: displayNames[name],
    status: "unknown",
    url: "",
    response_time_ms: null,
    circuit_state: state,
    error,
    note: null,
    last_check,
  };
}

function summaryOf(breakers: readonly BreakerState[]): z.output<typeof BreakerSummary> {
  const count = (state: BreakerState["state"]): number => breakers.filter((breaker) => breaker.state === state).length;
  return {
    total: breakers.length,
    closed: count("closed"),
    open: count("open"),
    half_open: count("half_open"),
    breakers: Object.fromEntries(breakers.map(({ name, state }) => [name, state])),
  };
}
