import { randomUUID } from "node:crypto";
import { allCameras } from "../src/cameras/cameras-repository.ts";
import { ensureCameraForFolder } from "../src/cameras/registration.ts";
import { clearCameraError, markCameraError } from "../src/cameras/status.ts";
import { type Clock, systemClock } from "../src/clock/clock.ts";
import type { Config } from "../src/config/config.ts";
import { createSettings } from "../src/config/settings.ts";
import type { JournalEntry } from "../src/contract/live.ts";
import type { HandOver } from "../src/engines/hand-over.ts";
import { createInProcessHandOver } from "../src/engines/in-process-hand-over.ts";
import { migrate } from "../src/engines/migrate.ts";
import { openDatabase } from "../src/engines/open-database.ts";
import { openStore } from "../src/engines/open-store.ts";
import { createNvidiaSmi } from "../src/gpu/nvidia-smi.ts";
import { hastenJobs } from "../src/jobs/dead-letters-repository.ts";
import { countJobs, type QueueName } from "../src/jobs/jobs-repository.ts";
import { appendToJournal } from "../src/journal/journal.ts";
import { createKeyring } from "../src/keys/keyring.ts";
import { Lifecycle } from "../src/lifecycle/lifecycle.ts";
import { createLimiter } from "../src/limits/limiter.ts";
import { allowancesOf } from "../src/limits/tiers.ts";
import type { Log } from "../src/log/log.ts";
import { channelAvailability } from "../src/notifications/channels.ts";
import type { OperationContext } from "../src/operations/operation.ts";
import { operations } from "../src/operations/operations.ts";
import { createOutbound } from "../src/outbound/outbound.ts";
import { createAlertStage } from "../src/pipeline/alert.ts";
import { createAnalyzeStage } from "../src/pipeline/analyze.ts";
import { createDetectStage } from "../src/pipeline/detect.ts";
import { openSealerFor } from "../src/secrets/open-sealer.ts";
import { check } from "../src/system/checks.ts";
import { diskSpace } from "../src/system/disk.ts";
import type { Runtime, UpstreamName } from "../src/system/runtime.ts";
import { programVersion } from "../src/version.ts";
import { makeCameraRoot } from "./camera-root.ts";
import { createApp } from "./http/app.ts";
import { clientAddressBehind } from "./http/client-address.ts";
import { listen } from "./http/listen.ts";
import { createRequestCounter } from "./http/stats.ts";
import { createGates } from "./live/gates.ts";
import { createHub } from "./live/hub.ts";
import { createMetrics } from "./metrics.ts";
import { createRecentEvents } from "./recent-events.ts";
import { openTls } from "./tls/tls.ts";
import { startUpstreams, type Upstreams } from "./upstreams.ts";
import { createBatchAggregator } from "./workers/batch-aggregator.ts";
import { createCaretaker, takeOver, thisProcess } from "./workers/caretaker.ts";
import { createCleanupService } from "./workers/cleanup-service.ts";
import { createDeliveryWorker } from "./workers/delivery-worker.ts";
import { createDigestCloser } from "./workers/digest-closer.ts";
import { createFileWatcher } from "./workers/file-watcher/file-watcher.ts";
import { createGpuMonitor } from "./workers/gpu-monitor.ts";
import { createHealthReporter } from "./workers/health-reporter.ts";
import { createPublisher } from "./workers/publisher.ts";
import { createQueueWorker } from "./workers/queue-worker.ts";
import { createSupervisor } from "./workers/supervisor.ts";

/** A look at pictures: 30 s for the detector and time to spare for the database; a video of 30 frames in a row. */
const detectLeaseMs = 20 * 60_000;
/** Rules look at an event: some statements, which may wait for others who do the same. */
const alertLeaseMs = 2 * 60_000;

export interface DaemonOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** Replies that do not fit their schema are errors: for tests. */
  readonly strictReplies?: boolean;
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
  const { config, log } = options;
  const clock = options.clock ?? systemClock;
  const version = programVersion();
  const startedAt = clock.now();
  const recentEvents = createRecentEvents(clock);
  const own = thisProcess(randomUUID(), version);

  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    poolSize: config.databasePoolSize,
    log: log.child({ part: "database" }),
    ownership: "serve",
  });
  const { db } = database;
  const tls = await openTls(config, { clock, log: log.child({ part: "tls" }) });
  lifecycle.onStop("tls", () => tls?.stop());
  lifecycle.onStop("database", () => database.close(), 3_000);

  const handOver = await createHandOver(config, log);
  lifecycle.onStop("hand-over", () => handOver.close());
  // lanes are kept in the rows, so what has them never leaves this process
  const lanes = createInProcessHandOver();
  lifecycle.onStop("lanes", () => lanes.close());
  const wakeJobs = (queue: string): void => (queue === "deliver" ? lanes : handOver).wake(queue);

  const announce = async (entry: JournalEntry): Promise<void> => {
    await db.transaction((sql) => appendToJournal(sql, [entry], clock.now()));
    publisher.wake();
  };
  const settings = createSettings({ db, config, log: log.child({ part: "settings" }), clock });
  // the built-in services load while the database gets ready
  const upstreams = startUpstreams({
    config,
    settings,
    clock,
    log,
    lifecycle,
    onReady: (name) => handOver.wake(name === "detector" ? "detect" : "analyze"),
    onBreakerChange: ({ name, state }, previous) => {
      recentEvents.add(
        name,
        state === "closed" ? "recovery" : `circuit_${state}`,
        `the circuit breaker of ${name} went from ${previous} to ${state}`,
      );
      const queue = queueOf(name);
      if (state !== "open" && queue) handOver.wake(queue);
      announce({ type: "circuit_breaker", data: { name, state, previous_state: previous } }).catch((error: unknown) =>
        log.warn({ service: name, error: String(error) }, "could not announce the breaker's state"),
      );
    },
  });

  await migrate(db, { log: log.child({ part: "migrations" }), clock });
  const freed = await takeOver(db, own, database.kind === "embedded", clock.now());
  if (freed > 0) log.info({ freed }, "took up jobs that an earlier run had not ended");

  const store = await openStore({ redisUrl: config.redisUrl, log: log.child({ part: "store" }) });
  lifecycle.onStop("store", () => store.close());
  await settings.start();
  lifecycle.onStop("settings", () => settings.stop());
  await makeCameraRoot(config.cameraRoot);
  const sealer = await openSealerFor({ db, keyPath: config.secretKeyPath, log: log.child({ part: "secrets" }) });
  const outbound = createOutbound({ allow: config.outboundAllow });
  lifecycle.onStop("outbound", () => outbound.close());

  const counter = createRequestCounter();
  const wakeStored = (): void => {
    publisher.wake();
    aggregator.wake();
    wakeJobs("deliver");
  };
  const runtime: Runtime = {
    startedAt,
    version,
    workers: () => supervisor.states(),
    supervisorAlive: () => supervisor.alive(),
    url: () => url,
    breakers: () => upstreams.breakers(),
    resetBreaker: async (name) => {
      const previous = upstreams.resetBreaker(name);
      const queue = queueOf(name);
      if (queue) {
        await db.query((sql) => hastenJobs(sql, queue, clock.now()));
        handOver.wake(queue);
      }
      return previous;
    },
    probeUpstreams: () => upstreams.probe(),
    watcher: () => watcher.state(),
    disk: () => diskSpace(config.dataDir),
    live: () => hub.stats(),
    requests: () => counter.stats(),
    recentEvents: () => recentEvents.list(),
    wakeJournal: () => publisher.wake(),
    wakeJobs,
    wakeWatcher: () => watcher.wake(),
    metrics: () => metrics.text(),
  };
  const context: OperationContext = { db, store, config, settings, clock, log, outbound, sealer, runtime };

  const publisher = createPublisher({ db, log, onPublished: (rows) => hub.publish(rows) });
  const detectStage = createDetectStage({
    db,
    clock,
    log: log.child({ worker: "detection_worker" }),
    settings,
    batchMaxDetections: config.batchMaxDetections,
    processId: own.processId,
    detector: upstreams.detector,
    detectorAnsweredAt: () => upstreams.answeredAt("detector"),
    onStored: wakeStored,
  });
  const analyzeStage = createAnalyzeStage({
    db,
    clock,
    settings,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    processId: own.processId,
    languageModel: upstreams.languageModel,
    languageModelAnsweredAt: () => upstreams.answeredAt("language_model"),
    onStored: () => {
      wakeStored();
      handOver.wake("alert");
    },
  });
  const queueWorker = (
    name: string,
    queue: QueueName,
    how: Pick<Parameters<typeof createQueueWorker>[0], "critical" | "concurrency" | "leaseMs" | "stage" | "capacity">,
  ) =>
    createQueueWorker({
      name,
      queue,
      ...how,
      handOver,
      db,
      processId: own.processId,
      clock,
      log,
      onDone: (seconds) => metrics.stageDone(queue, seconds),
    });
  const detection = queueWorker("detection_worker", "detect", {
    critical: true,
    concurrency: config.detectConcurrency,
    leaseMs: detectLeaseMs,
    stage: detectStage,
    capacity: () => upstreams.capacity("detector"),
  });
  const analysis = queueWorker("analysis_worker", "analyze", {
    critical: true,
    concurrency: config.analyzeConcurrency,
    leaseMs: config.languageModelReadTimeout * 2_000 + 60_000,
    stage: analyzeStage,
    capacity: () => upstreams.capacity("language_model"),
  });
  const delivery = { availability: channelAvailability(config), expiryHours: config.alertExpiryHours };
  const wakeDelivery = (): void => {
    publisher.wake();
    wakeJobs("deliver");
  };
  const alerting = queueWorker("alert_worker", "alert", {
    critical: false,
    // one after the other: of events that come together the first raises the alert, the others are held back
    concurrency: 1,
    leaseMs: alertLeaseMs,
    stage: createAlertStage({ db, clock, processId: own.processId, delivery, onStored: wakeDelivery }),
    capacity: () => Number.POSITIVE_INFINITY,
  });
  const digestCloser = createDigestCloser({ db, clock, delivery, log, onClosed: wakeDelivery });
  const deliveryWorker = createDeliveryWorker({
    context,
    processId: own.processId,
    lanes,
    onStored: () => publisher.wake(),
    onDone: (seconds) => metrics.stageDone("deliver", seconds),
  });
  const aggregator = createBatchAggregator({
    db,
    clock,
    settings,
    log,
    onClosed: () => {
      publisher.wake();
      handOver.wake("analyze");
      handOver.wake("alert");
      wakeJobs("deliver");
    },
  });
  const watcher = createFileWatcher({
    db,
    clock,
    log: log.child({ worker: "file_watcher" }),
    cameraRoot: config.cameraRoot,
    extraRoots: config.cameraExtraRoots,
    cameras: async () => (await db.query(allCameras)).map((camera) => ({ ...camera, deleted: camera.deleted_at !== null })),
    ensureCamera: async (folderName) => {
      const { created } = await ensureCameraForFolder(db, folderName, { cameraRoot: config.cameraRoot, now: clock.now() });
      if (created) publisher.wake();
    },
    onRegistered: ({ cameraId, paths, added, pending }) => {
      metrics.pictureRegistered(added);
      if (pending > 0) handOver.wake("detect");
      publisher.wake();
      options.onPictures?.(cameraId, paths);
    },
    onCameraProblem: async (cameraId, reason) => {
      if (await db.transaction((sql) => markCameraError(sql, cameraId, reason, clock.now()))) publisher.wake();
    },
    onCameraOk: async (cameraId) => {
      if (await db.transaction((sql) => clearCameraError(sql, cameraId, clock.now()))) publisher.wake();
    },
  });
  const caretaker = createCaretaker({
    db,
    clock,
    log,
    process: own,
    cameraOfflineAfterSeconds: config.cameraOfflineAfterSeconds,
    detectorDown: () => {
      const breaker = upstreams.breakers().find(({ name }) => name === "detector");
      return breaker?.state === "open"
        ? `The detector does not answer; it is asked again at ${breaker.reset_at?.toISOString()}`
        : undefined;
    },
    onFreed: () => {
      handOver.wake("detect");
      handOver.wake("analyze");
      handOver.wake("alert");
      wakeJobs("deliver");
    },
    onJournal: () => publisher.wake(),
  });
  const gpuMonitor = createGpuMonitor({ db, clock, log, nvidiaSmi: createNvidiaSmi() });
  const cleanupService = createCleanupService({ db, config, settings, clock, log: log.child({ worker: "cleanup_service" }) });
  const healthReporter = createHealthReporter({
    context,
    runtime,
    processId: own.processId,
    onReported: () => wakeJobs("deliver"),
  });
  const supervisor = createSupervisor({
    workers: [
      publisher,
      deliveryWorker,
      analysis,
      alerting,
      digestCloser,
      aggregator,
      detection,
      watcher,
      caretaker,
      gpuMonitor,
      cleanupService,
      healthReporter,
    ],
    clock,
    log,
    announce: async (entry) => {
      if (entry.type === "worker_status") {
        recentEvents.add(entry.data.name, entry.data.running ? "recovery" : "failure", entry.data.message ?? "runs again");
      }
      await announce(entry);
    },
  });
  const metrics = createMetrics({
    version,
    queues: async () => {
      const counted = await check(context, config.healthCheckTimeoutSeconds * 1_000, () => db.query((sql) => countJobs(sql, clock.now())));
      return counted.ok ? counted.value : undefined;
    },
    workers: () => supervisor.states(),
    breakers: () => upstreams.breakers(),
    pool: () => db.pool,
    websocket: () => hub.stats(),
    requests: () => counter.stats(),
    stuckFiles: () => watcher.state().stuck.length,
  });
  const keyring = config.apiKeyEnabled ? createKeyring(config.apiKeys) : undefined;
  const limiter = config.rateLimitEnabled
    ? createLimiter({ store, allowances: allowancesOf(config), clock, log: log.child({ part: "limits" }) })
    : undefined;
  const clientAddress = clientAddressBehind(config.trustedProxyIps);
  // everything that an answer may need is there before the first question can come
  const app = createApp({
    operations,
    context,
    log: log.child({ part: "http" }),
    allowedHosts: config.allowedHosts,
    corsOrigins: config.corsOrigins,
    keyring,
    rateLimit: limiter && { limiter, clientAddress },
    counter,
    strictReplies: options.strictReplies ?? false,
  });
  const listening = await listen({ app, host: config.host, port: config.port, keyPair: tls?.pair });
  tls?.follow((pair) => listening.setKeyPair(pair));
  lifecycle.onStop("http", () => listening.close(), 3_000);
  const url = `${tls ? "https" : "http"}://${config.host.includes(":") ? `[${config.host}]` : config.host}:${listening.port}`;
  const hub = createHub({
    server: listening.server,
    db,
    config: { websocketIdleTimeoutSeconds: config.websocketIdleTimeoutSeconds },
    clock,
    log: log.child({ part: "live" }),
    version,
    ...createGates({
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.corsOrigins,
      limiter,
      clientAddress,
      keyring,
      token: config.websocketToken,
    }),
  });
  await hub.start();
  lifecycle.onStop("live", () => hub.stop());

  await supervisor.start();
  lifecycle.onStop("workers", () => supervisor.stop(), 4_000);

  return {
    url,
    port: listening.port,
    ownCertificatePath: tls?.ownCertificatePath,
    context,
    upstreams,
    databaseDescription: database.description,
    handOver: handOver.kind,
    stop: () => lifecycle.stop(),
  };
}

/** BullMQ is loaded where it is used: it costs a sixth of the time of a start, and 20 MB. */
async function createHandOver({ redisUrl }: Config, log: Log): Promise<HandOver> {
  if (redisUrl === undefined) return createInProcessHandOver();
  const { createBullmqHandOver } = await import("../src/engines/bullmq-hand-over.ts");
  return createBullmqHandOver({ redisUrl, log: log.child({ part: "hand-over" }) });
}

/** The queue whose jobs wait for a service; undefined for services that none waits for. */
function queueOf(name: UpstreamName): QueueName | undefined {
  if (name === "detector") return "detect";
  return name === "language_model" ? "analyze" : undefined;
}
