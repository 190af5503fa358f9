import { setFlagsFromString } from "node:v8";
import { checkDisks } from "../src/admin/system/checks.ts";
import { currentMetrics } from "../src/admin/system/home-metrics.ts";
import type { Clock } from "../src/base/clock/clock.ts";
import { Lifecycle } from "../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../src/base/log/log.ts";
import type { Config } from "../src/platform/config/config.ts";
import { explainFullDisk } from "../src/platform/disk/full-disk.ts";
import type { JobDispatcher } from "../src/platform/store/job-dispatcher.ts";
import type { WakeNote } from "../src/work/jobs/wakes-repository.ts";
import type { OperationContext } from "../src/work/operations/operation.ts";
import { type AllWorkers, createAllWorkers } from "./all-workers.ts";
import { type Foundation, layFoundation, openStores } from "./foundation.ts";
import { createRequestCounter } from "./http/stats.ts";
import { createWrongKeys, type WrongKeys } from "./http/wrong-keys.ts";
import { createStatusBroadcast } from "./live/status-broadcast.ts";
import { type FollowOptions, followConfiguration } from "./reload/configuration.ts";
import { createRuntime, type DaemonRuntime } from "./runtime.ts";
import { removeLeftovers } from "./selftest/scratch.ts";
import { type Serving, startServing } from "./serving.ts";
import type { Upstreams } from "./upstreams/upstreams.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** A reply that does not fit its schema is an error: for tests. */
  readonly strictReplies?: boolean;
  /** The configuration files that `config` was loaded from. Without it, changes to them have no effect. */
  readonly following?: Pick<FollowOptions, "loaded" | "setLogLevel">;
  /** Called with pictures once they are in the ledger. */
  readonly onPictures?: (cameraId: string, paths: readonly string[]) => void;
}

/** A running daemon. */
export interface Daemon {
  /** Address of the API. */
  readonly url: string;
  readonly port: number;
  /** The certificate that clients must trust; undefined unless homesec created it. */
  readonly ownCertificatePath: string | undefined;
  readonly context: OperationContext;
  readonly upstreams: Upstreams;
  /** Where the data is, as text for a person. */
  readonly databaseDescription: string;
  readonly dispatcher: JobDispatcher["kind"];
  /** Stops everything in the reverse order of the start. A second call waits for the first. */
  stop(): Promise<void>;
}

/**
 * Assembles the daemon and starts it: database, migrations, upstream services, workers, HTTP and WebSocket. If a part cannot start, stops
 * everything that was started and throws the part's error.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  letHeapGrow();
  const lifecycle = new Lifecycle();
  try {
    return await start(options, lifecycle);
  } catch (error) {
    await lifecycle
      .stop()
      .catch((failure: unknown) => options.log.error({ error: String(failure) }, "could not clean up after the failed start"));
    throw await explainFullDisk(error, options.config.dataDir);
  }
}

/**
 * Lets the heap double before V8 runs a full garbage collection. By default V8 runs one for each third that is added once the process was
 * idle, and counts the contents of pictures: under load that was every 80 to 170 pictures, on all processors, and up to half of the
 * daemon's CPU time (decision 20). A version of Node.js without this setting reports that on stderr and continues; 20, 22, 24 and 25 have
 * it.
 */
function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=100");
}

/** Each step uses only the results of the steps before it. */
async function start(options: DaemonOptions, lifecycle: Lifecycle): Promise<Daemon> {
  const foundation = await layFoundation(options, lifecycle);
  const { config, clock, log, version, engines, tls, settings, metrics, upstreams } = foundation;
  const { db } = engines.database;
  const stores = await openStores(foundation);
  const counter = createRequestCounter((ms) => metrics.httpAnswered(ms / 1_000));
  const wrongKeys = createWrongKeys({ clock, log: log.child({ part: "http" }) });
  const runtime = createRuntime({ ...foundation, db, counter });
  const context: OperationContext = { ...stores, db, config, settings, clock, log, runtime };
  await removeLeftovers({ context });
  const workers = createAllWorkers(foundation, { context, runtime, onPictures: options.onPictures });
  connect(foundation, { context, runtime, workers, wrongKeys });
  // everything that a reply needs exists before the first request can arrive
  const strictReplies = options.strictReplies ?? false;
  const uploads = config.roles.includes("receive") ? workers.receivers.uploads : undefined;
  const serving = await startServing(context, { lifecycle, tls, version, counter, wrongKeys, strictReplies, uploads });
  runtime.attach({ ...serving, ...workers, metrics });
  await startWork(foundation, { context, runtime, workers, serving });
  await followFiles(foundation, runtime, options.following);
  return {
    url: serving.url,
    port: serving.port,
    ownCertificatePath: tls?.ownCertificatePath,
    context,
    upstreams,
    databaseDescription: engines.database.description,
    dispatcher: engines.dispatcher.kind,
    stop: () => lifecycle.stop(),
  };
}

interface Parts {
  readonly context: OperationContext;
  readonly runtime: DaemonRuntime;
  readonly workers: AllWorkers;
  readonly serving: Serving;
}

/** Gives the workers to the parts that report on them: the cluster, the metrics, and the database, whose commits wake them. */
function connect(
  { version, engines, cluster, metrics, upstreams }: Foundation,
  {
    context,
    runtime,
    workers: { supervisor, watcher, wake, receivers },
    wrongKeys,
  }: Omit<Parts, "serving"> & { readonly wrongKeys: WrongKeys },
): void {
  const { db } = engines.database;
  cluster.attach({ workers: () => supervisor.states(), watcher: () => watcher.state(), upstreams, wake });
  db.onCommitted((note) => cluster.wake(note as WakeNote));
  metrics.observe({
    version,
    workers: () => supervisor.states(),
    breakers: () => upstreams.breakers(),
    pool: () => db.pool,
    websocket: () => runtime.live(),
    requests: () => runtime.requests(),
    wrongKeys: () => wrongKeys.total(),
    wrongPasswords: receivers.wrongPasswords,
    watcher: () => watcher.state(),
    figures: () => currentMetrics(context),
    disks: () => checkDisks(context, runtime),
  });
}

/** Accepts WebSocket clients and signals from other daemons, and starts the workers. Registers how to stop each. */
async function startWork(
  { config, lifecycle, cluster }: Foundation,
  { context, runtime, workers: { supervisor }, serving: { hub } }: Parts,
): Promise<void> {
  const servesClients = config.roles.includes("api");
  if (servesClients) await hub.start();
  lifecycle.onStop("live", () => hub.stop());
  if (!cluster.peers.alone) await cluster.signals.start();
  lifecycle.onStop("signals", () => cluster.signals.stop());
  await supervisor.start();
  lifecycle.onStop("workers", () => supervisor.stop(), 4_000);
  const statusBroadcast = createStatusBroadcast(context, runtime, (status) => hub.broadcastControl("system_status", { status }));
  if (servesClients) await statusBroadcast.start();
  // a round that hangs must not delay the stop
  lifecycle.onStop("status broadcast", () => void statusBroadcast.stop());
}

/** Applies changes of the configuration files from now on. Registers how to stop. */
async function followFiles(
  { config, log, lifecycle, recentEvents }: Foundation,
  runtime: DaemonRuntime,
  following: DaemonOptions["following"],
): Promise<void> {
  const onRead = runtime.noteConfiguration;
  const followed =
    following && (await followConfiguration({ ...following, config, recentEvents, onRead, log: log.child({ part: "configuration" }) }));
  lifecycle.onStop("configuration", () => followed?.close());
}
