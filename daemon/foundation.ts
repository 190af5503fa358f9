import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../src/base/clock/clock.ts";
import type { Lifecycle } from "../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../src/base/log/log.ts";
import { programVersion } from "../src/base/version.ts";
import type { JournalEntry } from "../src/contract/live.ts";
import { settleCameraRoot } from "../src/monitoring/cameras/relative-paths.ts";
import { rootsOf } from "../src/monitoring/cameras/roots.ts";
import type { Config } from "../src/platform/config/config.ts";
import { createSettings } from "../src/platform/config/settings.ts";
import { dataFolderHolder } from "../src/platform/database/data-folder.ts";
import type { Database } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { hashOf } from "../src/platform/keys/keyring.ts";
import { createNamedKeys, sessionMac } from "../src/platform/keys/named-keys.ts";
import { createOutbound } from "../src/platform/outbound/outbound.ts";
import { openSealerFor, tellEvidenceKey } from "../src/platform/secrets/open-sealer.ts";
import { openStore } from "../src/platform/store/open-store.ts";
import type { ProcessRow } from "../src/work/jobs/processes-repository.ts";
import { appendToJournal } from "../src/work/journal/journal.ts";
import type { OperationContext } from "../src/work/operations/operation.ts";
import { memoryLimit, smallLimitWarning } from "./builtin/memory-plan.ts";
import { makeCameraRoot } from "./camera-root.ts";
import { type Cluster, createCluster } from "./cluster/cluster.ts";
import { introduce, join } from "./cluster/join.ts";
import { builtInElsewhere, callerRole } from "./cluster/merged.ts";
import { thisProcess } from "./cluster/own-process.ts";
import { type Engines, openEngines } from "./engines.ts";
import { createRecentEvents, type RecentEvents } from "./health/recent-events.ts";
import { createMetrics, type DaemonMetrics } from "./metrics/metrics.ts";
import { openTls, type Tls } from "./tls/tls.ts";
import { startServices } from "./upstreams/services.ts";
import type { Upstreams } from "./upstreams/upstreams.ts";

/** The parts that every other part of the daemon uses. They use no other part. */
export interface Foundation {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly version: string;
  /** The row of this process in the database. */
  readonly own: ProcessRow;
  readonly recentEvents: RecentEvents;
  readonly engines: Engines;
  readonly tls: Tls | undefined;
  readonly cluster: Cluster;
  /** Stores a single journal entry. */
  readonly announce: (entry: JournalEntry) => Promise<void>;
  readonly settings: ReturnType<typeof createSettings>;
  readonly metrics: DaemonMetrics;
  readonly upstreams: Upstreams;
}

/**
 * Opens the database, the job dispatchers and the certificate, and starts the upstream services. Built-in services load while the database
 * gets ready. Registers how to stop each part.
 */
export async function layFoundation(
  options: { readonly config: Config; readonly log: Log; readonly clock?: Clock },
  lifecycle: Lifecycle,
): Promise<Foundation> {
  const { log, clock = systemClock } = options;
  // a copy, since values that can change at run time change in it
  const config: Config = { ...options.config };
  const version = programVersion();
  const recentEvents = createRecentEvents(clock);
  const own = thisProcess(randomUUID(), version);
  await warnOfMemory(config, log);
  const engines = await openEngines(config, log, lifecycle);
  const { database } = engines;
  const { db } = database;
  const tls = await openTls(config, {
    ...{ clock, log: log.child({ part: "tls" }) },
    onFault: (fault) => recentEvents.setCondition("tls", "not_applied", fault),
  });
  lifecycle.onStop("tls", () => tls?.stop());
  const cluster = createCluster({ own, config, clock, database, log });
  const announce = createAnnouncer(db, clock);
  const settings = createSettings({ db, config, log: log.child({ part: "settings" }), clock });
  const metrics = createMetrics();
  const upstreams = startServices({
    ...{ config, settings, clock, log, lifecycle, recentEvents, announce, metrics },
    wake: (note) => cluster.wake(note),
    calls: (name) => config.roles.includes(callerRole[name]),
    stateElsewhere: (name) => builtInElsewhere(name, cluster.peers.others(), clock.now()),
  });
  return { config, clock, log, lifecycle, version, own, recentEvents, engines, tls, cluster, announce, settings, metrics, upstreams };
}

/** Entries are stored one after the other: of two changes to the same thing, the later one must not be stored first. */
function createAnnouncer(db: Database, clock: Clock): (entry: JournalEntry) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return (entry) => {
    const stored = last.then(() => db.transaction((sql) => appendToJournal(sql, [entry], clock.now())));
    last = stored.catch(() => {});
    return stored;
  };
}

/** Migrates the database, joins the other daemons on it, and opens everything that needs its rows. Registers how to stop each part. */
export async function openStores(foundation: Foundation): Promise<Pick<OperationContext, "store" | "sealer" | "outbound" | "namedKeys">> {
  const { config, clock, log, lifecycle, own, cluster, settings, upstreams } = foundation;
  const { db } = foundation.engines.database;
  tellEvidenceKey({ db, keyPath: config.secretKeyPath });
  await migrate(db, { log: log.child({ part: "migrations" }), clock });
  const moves = foundation.engines.database.kind === "embedded";
  await settleCameraRoot(db, { roots: rootsOf(config), moves, log: log.child({ part: "migrations" }) });
  await join(cluster, { db, own, clock, log, lifecycle });
  const store = await openStore({ redisUrl: config.redisUrl, log: log.child({ part: "store" }) });
  lifecycle.onStop("store", () => store.close());
  await settings.start();
  lifecycle.onStop("settings", () => settings.stop());
  upstreams.follow();
  await makeCameraRoot(config.cameraRoot, log);
  const sealer = await openSealerFor({ db, keyPath: config.secretKeyPath, log: log.child({ part: "secrets" }) });
  await introduce(cluster, { db, keyPath: config.secretKeyPath, fingerprint: sealer.fingerprint, log });
  const namedKeys = createNamedKeys({
    ...{ db, clock, log: log.child({ part: "keys" }), macOf: sessionMac(sealer) },
    configuredHashes: config.apiKeys.map((key) => hashOf(key).toString("hex")),
  });
  await namedKeys.start();
  lifecycle.onStop("named keys", () => namedKeys.stop());
  const outbound = createOutbound({ allow: config.outboundAllow, ownPort: config.port });
  lifecycle.onStop("outbound", () => outbound.close());
  return { store, sealer, outbound, namedKeys };
}

/** Warns of a memory limit that is too small, and says so if the last daemon here was killed: the kernel does not tell its victim why. */
async function warnOfMemory({ dataDir }: Config, log: Log): Promise<void> {
  const limit = memoryLimit();
  const warning = smallLimitWarning(limit);
  const wasKilled = (await dataFolderHolder(dataDir))?.lives === false;
  const fields = { memory_mib: Math.floor(limit / 1024 / 1024) };
  if (wasKilled)
    log.warn(fields, `homesec did not end cleanly the last time: it was killed, or the machine stopped${warning ? `. ${warning}` : ""}`);
  else if (warning !== undefined) log.warn(fields, warning);
}
