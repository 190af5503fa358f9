import type { Clock } from "../src/base/clock/clock.ts";
import type { Config } from "../src/platform/config/config.ts";
import type { Database } from "../src/platform/database/database.ts";
import { diskSpace } from "../src/platform/disk/disk.ts";
import { createPictureDisk } from "../src/platform/disk/picture-disk.ts";
import type { ProcessRow } from "../src/work/jobs/processes-repository.ts";
import type { Runtime } from "../src/work/operations/runtime.ts";
import { isSingleton, mergedBreakers, watcherElsewhere, workersElsewhere } from "./cluster/merged.ts";
import type { Peers } from "./cluster/peers.ts";
import type { FileWatcher } from "./file-watcher/file-watcher.ts";
import type { RequestCounter } from "./http/stats.ts";
import type { Hub } from "./live/hub.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { RecentEvents } from "./recent-events.ts";
import type { Selftest } from "./selftest/selftest.ts";
import { resetBreaker } from "./services.ts";
import type { Upstreams } from "./upstreams.ts";
import type { Supervisor } from "./workers/supervisor.ts";

/** Parts that are made after the operations that ask for them. */
export interface LateParts {
  readonly url: string;
  readonly hub: Hub;
  readonly metrics: Metrics;
  readonly selftest: Selftest;
  readonly supervisor: Supervisor;
  readonly watcher: FileWatcher;
}

/** Makes what the operations see of the running daemon. `late` is asked at each use: no operation runs before all of it is there. */
export function createRuntime(options: {
  readonly version: string;
  readonly clock: Clock;
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly counter: RequestCounter;
  readonly recentEvents: RecentEvents;
  readonly db: Database;
  readonly own: ProcessRow;
  readonly peers: Peers;
  /** Has the other daemons do the same. */
  readonly tellPeers: (hint: string) => void;
  readonly late: () => LateParts;
}): Runtime {
  const { clock, upstreams, counter, recentEvents, late, own, peers } = options;
  const startedAt = clock.now();
  const breakers = () => mergedBreakers(upstreams.breakers(), peers.roles, peers.others());
  return {
    startedAt,
    version: options.version,
    workers: () => [...late().supervisor.states(), ...workersElsewhere(peers.roles, peers.others())],
    daemons: () => [
      {
        ...{ processId: own.processId, host: own.host, pid: own.pid, version: own.version, startedAt },
        roles: peers.roles,
        singletons: peers.alone
          ? late()
              .supervisor.states()
              .map(({ name }) => name)
              .filter(isSingleton)
          : peers.held(),
      },
      ...peers.others(),
    ],
    supervisorAlive: () => late().supervisor.alive(),
    url: () => late().url,
    breakers,
    resetBreaker: async (name) => {
      const previous = breakers().find((breaker) => breaker.name === name)?.state;
      const own = await resetBreaker(name, { db: options.db, clock, upstreams });
      peers.forgetBreaker(name);
      options.tellPeers(`breaker:${name}`);
      return previous ?? own;
    },
    probeUpstreams: () => upstreams.probe(),
    watcher: () => (peers.does("file_watcher") ? late().watcher.state() : watcherElsewhere(options.config.cameraRoot, peers.others())),
    disk: () => diskSpace(options.config.dataDir),
    pictureDisk: createPictureDisk(options.config),
    live: () => late().hub.stats(),
    requests: () => counter.stats(),
    recentEvents: () => recentEvents.list(),
    selftest: (options) => late().selftest.run(options),
    metrics: () => late().metrics.text(),
  };
}
