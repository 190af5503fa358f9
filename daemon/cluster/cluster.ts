import type { ProcessReport } from "../../src/admin/system/process-report.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Role } from "../../src/platform/config/roles.ts";
import type { OpenDatabase } from "../../src/platform/database/open-database.ts";
import type { QueueName } from "../../src/work/jobs/jobs-repository.ts";
import type { ProcessRow } from "../../src/work/jobs/processes-repository.ts";
import type { WakeNote } from "../../src/work/jobs/wakes-repository.ts";
import type { WatcherState, WorkerState } from "../../src/work/operations/runtime.ts";
import type { Upstreams } from "../upstreams/upstreams.ts";
import type { Worker } from "../workers/loop.ts";
import { callerRole, isSingleton, workersOf } from "./merged.ts";
import { createPeers, type Peers, peerName } from "./peers.ts";
import { createSignals, type Signals } from "./signals.ts";
import { singletonWorker } from "./singleton-worker.ts";
import { createSingletons, type Singletons } from "./singletons.ts";

/** The parts of this daemon that the cluster reports on and that signals of other daemons reach. */
export interface ClusterParts {
  readonly workers: () => readonly WorkerState[];
  readonly watcher: () => WatcherState;
  readonly upstreams: Upstreams;
  /** Wakes the worker of this process that has work after a commit with this note. */
  readonly wake: (note: WakeNote) => void;
}

/** This daemon among those that share its database: its peers, the singletons that it holds, and signals between them. */
export interface Cluster {
  readonly peers: Peers;
  /** Undefined when no other daemon can use the database. */
  readonly singletons: Singletons | undefined;
  readonly signals: Signals;
  /** From now on this daemon reports the fingerprint of its key file to the others. */
  keyIs(fingerprint: string): void;
  /** Attaches the parts of this daemon once they exist. Until then the report is empty and only other daemons are woken. */
  attach(parts: ClusterParts): void;
  /** The workers that this daemon runs: those of its roles; a singleton stands by while another daemon holds it. */
  ownWorkers(workers: readonly Worker[]): readonly Worker[];
  /** Wakes the workers, here and in the other daemons, that have work after a commit with this note. */
  wake(note: WakeNote): void;
}

/** The role whose daemons work on the jobs of a queue. */
const roleOfQueue: Readonly<Record<QueueName, Role>> = {
  detect: "detect",
  enrich: "detect",
  analyze: "analyze",
  alert: "alert",
  deliver: "deliver",
};

/** A daemon searches folders below its own root: two daemons with different roots do not see each other's pictures. */
const keyOf =
  ({ cameraRoot }: Config) =>
  (name: string): string =>
    workersOf.watch.includes(name) ? `${name} ${cameraRoot}` : name;

/** Creates the cluster. It does not use the database yet. */
export function createCluster(options: {
  readonly own: ProcessRow;
  readonly config: Config;
  readonly clock: Clock;
  readonly database: OpenDatabase;
  readonly log: Log;
}): Cluster {
  const { own, database } = options;
  const log = options.log.child({ part: "peers" });
  const { roles } = options.config;
  const roots = roles.includes("watch") ? rootsOf(options.config) : [];
  let key: string | null = null;
  let parts: ClusterParts | undefined;

  const report = (): ProcessReport => {
    if (!parts) return { stopped: [], breakers: [], builtIn: [], watcher: null, roots: [...roots], key };
    const { upstreams } = parts;
    const breakers = upstreams.breakers().filter(({ name }) => roles.includes(callerRole[name]));
    const stopped = parts.workers().filter(({ running, elsewhere }) => !running && !elsewhere);
    const { running: _, ...watcher } = parts.watcher();
    return {
      stopped: stopped.map(({ name, message }) => ({ name, message })),
      breakers,
      faults: breakers.map(({ name }) => ({ name, fault: upstreams.failure(name) ?? null })),
      builtIn: [...upstreams.builtIn()],
      watcher: peers.does("file_watcher") ? { ...watcher, stuck: [...watcher.stuck] } : null,
      roots: [...roots],
      key,
    };
  };

  const singletons = database.openSession && createSingletons({ openSession: database.openSession, keyOf: keyOf(options.config), log });
  const peers = createPeers({ own, roles, roots, singletons, clock: options.clock, report, log });
  const signals = createSignals({
    db: database.db,
    ownId: own.processId,
    log,
    onSignal: (signal) => {
      const [what, which = ""] = signal.split(":");
      if (what !== "breaker") return parts?.wake(signal as WakeNote);
      const breaker = parts?.upstreams.breakers().find(({ name }) => name === which);
      if (breaker) parts?.upstreams.resetBreaker(breaker.name);
    },
  });
  const holder = (name: string): string | undefined => {
    const peer = peers.others().find((other) => other.singletons.includes(name));
    return peer && peerName(peer);
  };

  /** The journal concerns no other daemon: the daemon that appends to it numbers it. */
  const concernsPeers = (note: WakeNote): boolean => {
    if (note === "journal") return false;
    if (note === "watcher") return !peers.does("file_watcher");
    if (note === "batches") return !peers.does("batch_aggregator") && peers.someoneHas("detect");
    return peers.someoneHas(roleOfQueue[note.slice("jobs:".length) as QueueName]);
  };

  return {
    peers,
    singletons,
    signals,
    attach: (given) => {
      parts = given;
    },
    keyIs: (fingerprint) => {
      key = fingerprint;
    },
    ownWorkers: (workers) => {
      const foreign = new Set(
        Object.entries(workersOf).flatMap(([role, names]) => (roles.some((ownRole) => ownRole === role) ? [] : names)),
      );
      const selected = workers.filter(({ name }) => !foreign.has(name) && (name !== "selftest" || roles.includes("maintain")));
      return singletons
        ? selected.map((worker) => (isSingleton(worker.name) ? singletonWorker(worker, { singletons, holder, log }) : worker))
        : selected;
    },
    wake: (note) => {
      parts?.wake(note);
      if (concernsPeers(note)) signals.send(note);
    },
  };
}
