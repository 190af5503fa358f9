import type { Role } from "../../src/platform/config/roles.ts";
import { missingRoles } from "../../src/platform/config/roles.ts";
import type { WatcherState, WorkerState } from "../../src/work/operations/runtime.ts";
import type { BreakerState, CircuitState, UpstreamName, UpstreamState } from "../../src/work/operations/upstream-state.ts";
import { type Peer, type Peers, peerName } from "./peers.ts";

/** The workers of each role, without those that every daemon runs. The role `api` has none. */
export const workersOf: Readonly<Record<Role, readonly string[]>> = {
  api: [],
  receive: ["receivers", "camera_puller", "mqtt_receiver"],
  watch: ["file_watcher", "camera_watcher"],
  detect: ["detection_worker", "enrichment_worker", "batch_aggregator"],
  analyze: ["analysis_worker"],
  alert: ["alert_worker", "digest_closer"],
  deliver: ["delivery_worker", "answer_reader", "mqtt"],
  maintain: ["baseline_learner", "gpu_monitor", "cleanup_service", "health_reporter"],
};

/** Workers that run in only one daemon at a time. The self-test is included only if it is scheduled. */
export const singletonNames = [
  "file_watcher",
  "camera_watcher",
  "camera_puller",
  "mqtt_receiver",
  "batch_aggregator",
  "alert_worker",
  "digest_closer",
  "baseline_learner",
  "gpu_monitor",
  "cleanup_service",
  "selftest",
  "answer_reader",
  "mqtt",
] as const;

/** Tells whether a worker runs in one daemon at a time. */
export function isSingleton(name: string): boolean {
  return (singletonNames as readonly string[]).includes(name);
}

/** If none of these runs anywhere, no picture is processed. */
const critical = ["detection_worker", "analysis_worker"];

/** The role that calls a service. */
export const callerRole: Readonly<Record<UpstreamName, Role>> = {
  detector: "detect",
  language_model: "analyze",
  language_model_fallback: "analyze",
  vision: "detect",
  embedder: "detect",
  enrichment: "detect",
};

/** Returns the workers of roles that other daemons have. */
export function workersElsewhere(roles: readonly Role[], others: readonly Peer[]): readonly WorkerState[] {
  return missingRoles(roles).flatMap((role) => workersOf[role].map((name) => workerElsewhere(name, role, others)));
}

function workerElsewhere(name: string, role: Role, others: readonly Peer[]): WorkerState {
  const candidates = others.filter((peer) => peer.roles.includes(role));
  const stoppedAt = (peer: Peer) => peer.report?.stopped.find((worker) => worker.name === name);
  const healthy = candidates.filter((peer) => !stoppedAt(peer));
  const common = { name, critical: critical.includes(name), elsewhere: true } as const;
  if (healthy.length > 0) return { ...common, running: true, message: `on ${healthy.map(peerName).join(", ")}` };
  const [first] = candidates;
  if (!first) return { ...common, running: false, message: `no running daemon has the role ${role}` };
  return { ...common, running: false, message: `on ${peerName(first)}: ${stoppedAt(first)?.message ?? "does not run"}` };
}

/**
 * Returns why no daemon does the work of a worker now; undefined if one does. `workers` are the workers of all daemons. A worker on standby
 * is as healthy as the active one.
 */
export function workerFault(name: string, workers: readonly WorkerState[], peers: Pick<Peers, "does" | "others">): string | undefined {
  const worker = workers.find((each) => each.name === name);
  if (!worker?.running) return worker?.message ?? "unknown reason";
  if (!isSingleton(name) || peers.does(name)) return undefined;
  const holder = peers.others().find(({ singletons }) => singletons.includes(name));
  if (!holder) return "no daemon runs it now";
  const stopped = holder.report?.stopped.find((each) => each.name === name);
  return stopped && `on ${peerName(holder)}: ${stopped.message ?? "does not run"}`;
}

const rankOf: Readonly<Record<CircuitState, number>> = { closed: 0, half_open: 1, open: 2 };

/** Merges the breakers of all daemons: for each service, the worst breaker of the daemons that call it. */
export function mergedBreakers(own: readonly BreakerState[], roles: readonly Role[], others: readonly Peer[]): readonly BreakerState[] {
  return own.map((breaker) => {
    const reported = others.flatMap((peer) => peer.report?.breakers.filter(({ name }) => name === breaker.name) ?? []);
    const breakers = roles.includes(callerRole[breaker.name]) || reported.length === 0 ? [breaker, ...reported] : reported;
    return breakers.reduce((worst, other) => (rankOf[other.state] > rankOf[worst.state] || isFresher(other, worst) ? other : worst));
  });
}

/** Of two breakers in the same state, the more recently used one says more. */
function isFresher(one: BreakerState, other: BreakerState): boolean {
  const at = ({ last_success, last_failure }: BreakerState): number => Math.max(last_success?.getTime() ?? 0, last_failure?.getTime() ?? 0);
  return one.state === other.state && at(one) > at(other);
}

/** Adds to the probed states which services other daemons cannot use, although they answer their health probe. */
export function withFaultsElsewhere(states: readonly UpstreamState[], others: readonly Peer[]): readonly UpstreamState[] {
  return states.map((state) => {
    const peer = others.find(({ report }) => report?.breakers.some((breaker) => breaker.name === state.name && breaker.state === "open"));
    if (!state.healthy || !peer) return state;
    const fault = peer.report?.faults?.find(({ name }) => name === state.name)?.fault;
    return { ...state, healthy: false, error: `${peerName(peer)}: circuit breaker open${fault ? `: ${fault}` : ""}` };
  });
}

/** Returns the state of a service that only other daemons call, as a built-in service there. */
export function builtInElsewhere(name: UpstreamName, others: readonly Peer[], now: Date): UpstreamState {
  const services = others.flatMap((peer) => {
    const service = peer.report?.builtIn.find((builtIn) => builtIn.name === name);
    const isOpen = peer.report?.breakers.some((breaker) => breaker.name === name && breaker.state === "open") === true;
    return service ? [{ peer, fault: service.fault ?? (isOpen ? "circuit breaker open" : null) }] : [];
  });
  const chosen = services.find(({ fault }) => fault === null) ?? services[0];
  const error = chosen ? chosen.fault && `${peerName(chosen.peer)}: ${chosen.fault}` : `no running daemon has the role ${callerRole[name]}`;
  return { name, healthy: error === null, builtIn: true, url: "", responseMs: null, error, checkedAt: now };
}

/** Returns the file watcher of another daemon: the running one, or one that no daemon runs. */
export function watcherElsewhere(cameraRoot: string, others: readonly Peer[]): WatcherState {
  const holder = others.find(({ singletons }) => singletons.includes("file_watcher"));
  const reported = holder?.report?.watcher;
  const running = reported != null && !holder?.report?.stopped.some(({ name }) => name === "file_watcher");
  return { cameraRoot, watchMode: "notify", pending: 0, stuck: [], ...reported, running };
}
