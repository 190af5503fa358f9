import { randomUUID } from "node:crypto";
import { checkDisks } from "../src/admin/system/checks.ts";
import { currentFigures } from "../src/admin/system/figures.ts";
import { type Clock, systemClock } from "../src/base/clock/clock.ts";
import { Lifecycle } from "../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../src/base/log/log.ts";
import { programVersion } from "../src/base/version.ts";
import type { JournalEntry } from "../src/contract/live.ts";
import { createFreshContent } from "../src/monitoring/images/fresh-content.ts";
import type { Config } from "../src/platform/config/config.ts";
import { createSettings } from "../src/platform/config/settings.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { createOutbound } from "../src/platform/outbound/outbound.ts";
import { openSealerFor } from "../src/platform/secrets/open-sealer.ts";
import type { HandOver } from "../src/platform/store/hand-over.ts";
import { openStore } from "../src/platform/store/open-store.ts";
import type { WakeNote } from "../src/work/jobs/wakes-repository.ts";
import { appendToJournal } from "../src/work/journal/journal.ts";
import type { OperationContext } from "../src/work/operations/operation.ts";
import { makeCameraRoot } from "./camera-root.ts";
import { createCluster } from "./cluster/cluster.ts";
import { introduce, join } from "./cluster/join.ts";
import { builtInElsewhere, roleAsking } from "./cluster/merged.ts";
import { thisProcess } from "./cluster/own-process.ts";
import { createDelivering } from "./delivering.ts";
import { openEngines } from "./engines.ts";
import { letHeapGrow } from "./heap-growth.ts";
import { createHousekeeping } from "./housekeeping.ts";
import { createRequestCounter } from "./http/stats.ts";
import { createStatusNews } from "./live/status-news.ts";
import { createMetrics } from "./metrics/metrics.ts";
import type { Parts } from "./parts.ts";
import { createPipeline } from "./pipeline.ts";
import { createRecentEvents } from "./recent-events.ts";
import { type FollowOptions, followConfiguration } from "./reload/configuration.ts";
import { createRuntime } from "./runtime.ts";
import { createSelftestAlarm } from "./selftest/alarm.ts";
import { removeLeftovers } from "./selftest/scratch.ts";
import { createSelftest } from "./selftest/selftest.ts";
import { startServices } from "./services.ts";
import { startServing } from "./serving.ts";
import { openTls } from "./tls/tls.ts";
import type { Upstreams } from "./upstreams.ts";
import { createWaker } from "./waker.ts";
import { createWatching } from "./watching.ts";
import { createPublisher } from "./workers/publisher.ts";
import { createSupervisor } from "./workers/supervisor.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** Replies that do not fit their schema are errors: for tests. */
  readonly strictReplies?: boolean;
  /** Follows the configuration files from which `config` was loaded; they are not followed without it. */
  readonly following?: Pick<FollowOptions, "loaded" | "setLogLevel">;
  /** Told of pictures as they get their entries in the ledger. */
  readonly onPictures?: (cameraId: string, paths: readonly string[]) => void;
}

/** A running daemon. */
export interface Daemon {
  /** Where the API answers. */
  readonly url: string;
  readonly port: number;
  /** The certificate that clients must be told to trust; undefined unless homesec made it itself. */
  readonly ownCertificatePath: string | undefined;
  readonly context: OperationContext;
  readonly upstreams: Upstreams;
  /** Where the data is, in words. */
  readonly databaseDescription: string;
  readonly handOver: HandOver["kind"];
  /** Stops everything in the reverse order of its start. A second call waits for the first. */
  stop(): Promise<void>;
}

/**
 * Puts the daemon together and starts it: database, migrations, upstream services, workers, HTTP and WebSocket. When a
 * part cannot start, what was started is stopped again and the error passed on.
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
    throw error;
  }
}

async function start(options: DaemonOptions, lifecycle: Lifecycle): Promise<Daemon> {
  const { log } = options;
  // a copy: values that can change at run time change in it
  const config: Config = { ...options.config };
  const clock = options.clock ?? systemClock;
  const version = programVersion();
  const recentEvents = createRecentEvents(clock);
  const own = thisProcess(randomUUID(), version);

  const { database, handOver, lanes } = await openEngines(config, log, lifecycle);
  const { db } = database;
  const tls = await openTls(config, {
    ...{ clock, log: log.child({ part: "tls" }) },
    onFault: (fault) => recentEvents.setCondition("tls", "not_applied", fault),
  });
  lifecycle.onStop("tls", () => tls?.stop());

  /** Until the workers exist there is no one to wake. */
  let wakeHere = (_note: WakeNote): void => {};
  const company = createCluster({
    ...{ own, config, clock, database, log },
    parts: {
      workers: () => supervisor.states(),
      watcher: () => watcher.state(),
      upstreams: () => upstreams,
      wakeHere: (note) => wakeHere(note),
    },
  });
  const { peers } = company;
  // one after the other: of two changes of one thing, the later must not be stored first
  let announced: Promise<unknown> = Promise.resolve();
  const announce = (entry: JournalEntry): Promise<void> => {
    const told = announced.then(async () => {
      await db.transaction((sql) => appendToJournal(sql, [entry], clock.now()));
    });
    announced = told.catch(() => {});
    return told;
  };
  const settings = createSettings({ db, config, log: log.child({ part: "settings" }), clock });
  // there before anybody does work; it looks around when it is asked for the first time
  const metrics = createMetrics({
    version,
    workers: () => supervisor.states(),
    breakers: () => upstreams.breakers(),
    pool: () => db.pool,
    websocket: () => runtime.live(),
    requests: () => runtime.requests(),
    watcher: () => watcher.state(),
    figures: () => currentFigures(context),
    disks: () => checkDisks(context, runtime),
  });
  // the built-in services load while the database gets ready
  const upstreams = startServices({
    ...{ config, settings, clock, log, lifecycle, recentEvents, announce, metrics },
    wake: (note) => company.wake(note),
    asks: (name) => config.roles.includes(roleAsking[name]),
    elsewhere: (name) => builtInElsewhere(name, peers.others(), clock.now()),
  });

  await migrate(db, { log: log.child({ part: "migrations" }), clock });
  await join(company, { db, own, clock, log, lifecycle });

  const store = await openStore({ redisUrl: config.redisUrl, log: log.child({ part: "store" }) });
  lifecycle.onStop("store", () => store.close());
  await settings.start();
  lifecycle.onStop("settings", () => settings.stop());
  upstreams.enrichment.follow();
  await makeCameraRoot(config.cameraRoot, log);
  const sealer = await openSealerFor({ db, keyPath: config.secretKeyPath, log: log.child({ part: "secrets" }) });
  await introduce(company, { db, keyPath: config.secretKeyPath, fingerprint: sealer.fingerprint, log });
  const outbound = createOutbound({ allow: config.outboundAllow });
  lifecycle.onStop("outbound", () => outbound.close());

  const counter = createRequestCounter((ms) => metrics.httpAnswered(ms / 1_000));
  const late = () => ({ url: serving.url, hub: serving.hub, metrics, selftest, supervisor, watcher });
  const tellPeers = (hint: string): void => company.hints.tell(hint);
  const runtime = createRuntime({
    ...{ version, clock, config, db, upstreams, counter, recentEvents, late },
    ...{ own, peers, tellPeers },
  });
  const context: OperationContext = { db, store, config, settings, clock, log, outbound, sealer, runtime };

  await removeLeftovers({ context });
  const parts: Parts = {
    context,
    runtime,
    processId: own.processId,
    upstreams,
    handOver,
    lanes,
    metrics,
    fresh: createFreshContent(),
    peers,
  };
  const publisher = createPublisher({
    db,
    log,
    onPublished: (rows) => {
      metrics.published(rows);
      serving.hub.publish(rows);
    },
  });
  const pipeline = createPipeline(parts);
  const watcher = createWatching(parts, options.onPictures);
  wakeHere = createWaker({ publisher, aggregator: pipeline.aggregator, watcher, handOver, lanes });
  db.onCommitted((note) => company.wake(note as WakeNote));
  const selftest = createSelftest({
    parts,
    openSchema: (schema, max) => database.openSchema(schema, max),
    onReport: createSelftestAlarm({ log, recentEvents, announce, metrics }),
  });
  const { deliveryWorker, digestCloser } = createDelivering(parts, recentEvents);
  const housekeeping = createHousekeeping(parts, { selftest, recentEvents });
  const supervisor = createSupervisor({
    // started in this order: who takes work up before who finds it
    workers: company.ours([
      publisher,
      deliveryWorker,
      digestCloser,
      pipeline.analysis,
      pipeline.alerting,
      pipeline.aggregator,
      pipeline.enrichment,
      pipeline.detection,
      watcher,
      ...housekeeping.everywhere,
      housekeeping.cameraWatcher,
      ...housekeeping.maintaining,
    ]),
    clock,
    log,
    announce: async (entry) => {
      if (entry.type === "worker_status") {
        recentEvents.add(entry.data.name, entry.data.running ? "recovery" : "failure", entry.data.message ?? "runs again");
      }
      await announce(entry);
    },
  });

  // everything that an answer may need is there before the first question can come
  const serving = await startServing(context, { lifecycle, tls, version, counter, strictReplies: options.strictReplies ?? false });
  if (config.roles.includes("api")) await serving.hub.start();
  lifecycle.onStop("live", () => serving.hub.stop());
  if (!peers.alone) await company.hints.start();
  lifecycle.onStop("hints", () => company.hints.stop());
  await supervisor.start();
  lifecycle.onStop("workers", () => supervisor.stop(), 4_000);
  const statusNews = createStatusNews(context, runtime, (status) => serving.hub.broadcastControl("system_status", { status }));
  if (config.roles.includes("api")) await statusNews.start();
  // a look that hangs keeps nobody waiting, and is told to nobody any more
  lifecycle.onStop("status news", () => void statusNews.stop());

  const followed =
    options.following &&
    (await followConfiguration({ ...options.following, config, recentEvents, log: log.child({ part: "configuration" }) }));
  lifecycle.onStop("configuration", () => followed?.close());

  return {
    url: serving.url,
    port: serving.port,
    ownCertificatePath: tls?.ownCertificatePath,
    context,
    upstreams,
    databaseDescription: database.description,
    handOver: handOver.kind,
    stop: () => lifecycle.stop(),
  };
}
