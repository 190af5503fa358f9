import type { FailingSource } from "../../alerting/answers/sources-repository.ts";
import type { DelayedNotifications } from "../../alerting/notifications/delayed-repository.ts";
import type { Silence } from "../../alerting/silences/silence.ts";
import { createTtlCache } from "../../base/async/ttl-cache.ts";
import { freeShare, leastFreeDiskShare, lowDiskMessage } from "../../platform/disk/disk.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime, WorkerState } from "../../work/operations/runtime.ts";
import type { UpstreamState } from "../../work/operations/upstream-state.ts";
import {
  type Check,
  checkAnswers,
  checkDatabase,
  checkDisks,
  checkNotifications,
  checkSilences,
  checkSources,
  checkStore,
  checkUpstreams,
} from "./checks.ts";
import { type OverallStatus, overallStatus } from "./overall.ts";

/** The results of one round of checks. All health replies derive from them. */
export interface Findings {
  readonly overall: OverallStatus;
  readonly database: Check<unknown>;
  readonly store: Check<string>;
  /** Services that are enabled. */
  readonly upstreams: Check<readonly UpstreamState[]>;
  readonly workers: readonly WorkerState[];
  readonly supervisorAlive: boolean;
  /** One sentence for each disk that is nearly full. */
  readonly lowDisks: readonly string[];
  /** Silences that mute alerts now; empty while the database does not answer. */
  readonly silences: readonly Silence[];
  /** The states of all breakers when the round began. */
  readonly breakers: string;
  /** Notifications that could not be sent yet; empty while the database does not answer. */
  readonly delayedNotifications: readonly DelayedNotifications[];
  /** Services whose answers from phones homesec cannot read; empty while the database does not answer. */
  readonly failingSources: readonly FailingSource[];
  readonly timestamp: Date;
}

// A built-in service that is starting has no address yet.
const cache = createTtlCache<Findings>(
  ({ upstreams, supervisorAlive }) =>
    !supervisorAlive || (upstreams.ok && upstreams.value.some(({ url, builtIn, healthy }) => builtIn && url === "" && !healthy)),
);

/**
 * Returns the findings of a round of checks that is at most `HEALTH_CACHE_TTL_SECONDS` old; concurrent callers share a round. While
 * workers or a built-in service start, each round is new, so that "starting" never outlives the start. It is also new after a change of a
 * breaker, so that no reply calls a service healthy beside its open breaker.
 */
export async function currentFindings(context: OperationContext, runtime: Runtime): Promise<Findings> {
  const ttlMs = context.config.healthCacheTtlSeconds * 1000;
  const current = () => cache.current(runtime, context.clock.monotonic(), ttlMs, () => checkAll(context, runtime));
  const findings = await current();
  if (findings.breakers === breakerStates(runtime)) return findings;
  cache.forget(runtime);
  return await current();
}

function breakerStates(runtime: Runtime): string {
  return runtime
    .breakers()
    .map(({ name, state }) => `${name} ${state}`)
    .join();
}

async function checkAll(context: OperationContext, runtime: Runtime): Promise<Findings> {
  const breakers = breakerStates(runtime);
  const [database, store, probed, disks] = await Promise.all([
    checkDatabase(context),
    checkStore(context),
    checkUpstreams(context, runtime),
    checkDisks(context, runtime),
  ]);
  const [silences, delayed, fault, sources] = database.ok
    ? await Promise.all([checkSilences(context), checkNotifications(context), checkAnswers(context, probed), checkSources(context)])
    : [];
  const upstreams = fault === undefined ? probed : withFault(probed, fault);
  const workers = runtime.workers();
  const shares = [...disks].map(([name, space]) => ({ name, share: freeShare(space) }));
  const overall = overallStatus({
    databaseOk: database.ok,
    storeOk: store.ok,
    upstreams: upstreams.ok ? upstreams.value : [],
    workers,
    freeDiskShare: shares.length > 0 ? Math.min(...shares.map(({ share }) => share)) : undefined,
  });
  return {
    // Services that could not be checked are not known to be healthy.
    overall: overall === "healthy" && !upstreams.ok ? "degraded" : overall,
    database,
    store,
    upstreams,
    workers,
    supervisorAlive: runtime.supervisorAlive(),
    lowDisks: shares.filter(({ share }) => share < leastFreeDiskShare).map(({ name, share }) => lowDiskMessage(share, name)),
    silences: silences?.ok ? silences.value : [],
    breakers,
    delayedNotifications: delayed?.ok ? delayed.value : [],
    failingSources: sources?.ok ? sources.value : [],
    timestamp: context.clock.now(),
  };
}

/** A detector whose answers are of no use is not healthy. */
function withFault(upstreams: Check<readonly UpstreamState[]>, error: string): Check<readonly UpstreamState[]> {
  if (!upstreams.ok) return upstreams;
  return { ...upstreams, value: upstreams.value.map((each) => (each.name === "detector" ? { ...each, healthy: false, error } : each)) };
}

/** The message while a supervisor is not alive. */
export const supervisorFault = "the supervisor still starts workers, or gives no sign of life";

/** Returns the critical workers that do not run: without them no picture is processed. */
export function stoppedWorkers(workers: readonly WorkerState[]): readonly WorkerState[] {
  return workers.filter(({ critical, running }) => critical && !running);
}
