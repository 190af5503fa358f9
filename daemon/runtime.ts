import type { Clock } from "../src/base/clock/clock.ts";
import type { Config } from "../src/platform/config/config.ts";
import type { LoadedConfig } from "../src/platform/config/load.ts";
import type { Database } from "../src/platform/database/database.ts";
import { diskSpace } from "../src/platform/disk/disk.ts";
import { createPictureDisk } from "../src/platform/disk/picture-disk.ts";
import type { ProcessRow } from "../src/work/jobs/processes-repository.ts";
import type { PublishedRow } from "../src/work/journal/journal-repository.ts";
import type { Runtime } from "../src/work/operations/runtime.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { isSingleton, mergedBreakers, watcherElsewhere, withFaultsElsewhere, workersElsewhere } from "./cluster/merged.ts";
import type { FileWatcher } from "./file-watcher/file-watcher.ts";
import type { RecentEvents } from "./health/recent-events.ts";
import type { RequestCounter } from "./http/stats.ts";
import type { Hub } from "./live/hub.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Receivers } from "./receivers/receivers.ts";
import type { Selftest } from "./selftest/selftest.ts";
import { resetBreaker } from "./upstreams/services.ts";
import type { Upstreams } from "./upstreams/upstreams.ts";
import type { Supervisor } from "./workers/supervisor.ts";

/** The parts that are created after the operations that use them. */
export interface RunningParts {
  readonly url: string;
  readonly hub: Hub;
  readonly metrics: Metrics;
  readonly selftest: Selftest;
  readonly supervisor: Supervisor;
  readonly watcher: FileWatcher;
  readonly receivers: Receivers;
}

/** The running daemon as the operations see it. */
export interface DaemonRuntime extends Runtime {
  /** Attaches the parts once they exist. An operation that runs earlier throws. */
  attach(parts: RunningParts): void;
  /** Takes a configuration that was read without errors. */
  noteConfiguration(loaded: LoadedConfig): void;
  /** Sends journal rows that this process has numbered to its live clients. */
  publish(rows: readonly PublishedRow[]): void;
}

/** Creates the view of the running daemon for the operations. */
export function createRuntime(options: {
  readonly version: string;
  readonly clock: Clock;
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly counter: RequestCounter;
  readonly recentEvents: RecentEvents;
  readonly db: Database;
  readonly own: ProcessRow;
  readonly cluster: Cluster;
}): DaemonRuntime {
  const { clock, upstreams, counter, recentEvents, own, cluster } = options;
  const { peers, signals } = cluster;
  let parts: RunningParts | undefined;
  let configuration: LoadedConfig | undefined;
  const running = (): RunningParts => {
    if (!parts) throw new Error("the daemon is still starting");
    return parts;
  };
  const startedAt = clock.now();
  const breakers = () => mergedBreakers(upstreams.breakers(), peers.roles, peers.others());
  return {
    startedAt,
    version: options.version,
    environment: () => process.env,
    configuration: () => configuration,
    workers: () => [...running().supervisor.states(), ...workersElsewhere(peers.roles, peers.others())],
    daemons: () => [
      {
        ...{ processId: own.processId, host: own.host, pid: own.pid, version: own.version, startedAt },
        roles: peers.roles,
        singletons: peers.alone
          ? running()
              .supervisor.states()
              .map(({ name }) => name)
              .filter(isSingleton)
          : peers.held(),
      },
      ...peers.others(),
    ],
    supervisorAlive: () => running().supervisor.alive(),
    url: () => running().url,
    breakers,
    resetBreaker: async (name) => {
      const previous = breakers().find((breaker) => breaker.name === name)?.state;
      const own = await resetBreaker(name, { db: options.db, clock, upstreams });
      peers.forgetBreaker(name);
      signals.send(`breaker:${name}`);
      return previous ?? own;
    },
    probeUpstreams: async () => withFaultsElsewhere(await upstreams.probe(), peers.others()),
    watcher: () => (peers.does("file_watcher") ? running().watcher.state() : watcherElsewhere(options.config.cameraRoot, peers.others())),
    receivers: () => {
      const states = running().receivers.states();
      return peers.roles.includes("receive") ? states : states.map((receiver) => ({ ...receiver, state: "elsewhere", fault: null }));
    },
    disk: () => diskSpace(options.config.dataDir),
    pictureDisk: createPictureDisk(options.config),
    live: () => running().hub.stats(),
    requests: () => counter.stats(),
    recentEvents: () => recentEvents.list(),
    selftest: (options) => running().selftest.run(options),
    countAnswer: (outcome) => running().metrics.phoneAnswered(outcome),
    metrics: () => running().metrics.text(),
    publish: (rows) => running().hub.publish(rows),
    noteConfiguration: (loaded) => {
      configuration = loaded;
    },
    attach: (given) => {
      parts = given;
    },
  };
}
