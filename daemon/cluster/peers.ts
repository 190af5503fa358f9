import { ProcessReport } from "../../src/admin/system/process-report.ts";
import { type Clock, minuteMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Role } from "../../src/platform/config/roles.ts";
import type { Sql } from "../../src/platform/database/database.ts";
import { isInside } from "../../src/platform/disk/files.ts";
import {
  endSilentSessions,
  livingPeers,
  type PeerRow,
  type ProcessRow,
  recordHeartbeat,
  removeProcesses,
} from "../../src/work/jobs/processes-repository.ts";
import type { UpstreamName } from "../../src/work/operations/upstream-state.ts";
import type { Singletons } from "./singletons.ts";

/** If the session is this old, the database has been up for a while, and the other daemons had time to reconnect. */
const settledAfterMs = 5_000;
/** A rebooting machine is back within this time. Until then its folders still belong to it. */
const backAfterMs = 5 * minuteMs;

/** A living daemon on the same database. */
export interface Peer extends Omit<PeerRow, "report"> {
  /** Undefined for a version with another report format. */
  readonly report: ProcessReport | undefined;
}

/** The daemons that share this database. */
export interface Peers {
  /** This daemon's id. */
  readonly ownId: string;
  readonly roles: readonly Role[];
  /** No other daemon can use the database: all roles are here. */
  readonly alone: boolean;
  /** All daemons except this one, at most a second old. */
  others(): readonly Peer[];
  /** Records the heartbeat and the state of this daemon, removes dead daemons, and reads the others' states. */
  beat(sql: Sql): Promise<void>;
  /** The singletons that this daemon holds. */
  held(): readonly string[];
  /** Tells whether a singleton runs here, if anywhere: it is held here, or no other daemon could hold it. */
  does(name: string): boolean;
  /** Tells whether a living daemon has the role. */
  someoneHas(role: Role): boolean;
  /**
   * Tells whether another daemon finds pictures in this folder, below a root that this one does not have. A dead daemon still counts for
   * five minutes.
   */
  watchedElsewhere(folder: string): boolean;
  /** Tells whether all daemons are known: this one is alone, or has run long enough for the others to start. */
  areComplete(): boolean;
  /** Discards what the others reported about a breaker. */
  forgetBreaker(name: UpstreamName): void;
}

/** Creates the view of the other daemons. `report` is called at each heartbeat. */
export function createPeers(options: {
  readonly own: ProcessRow;
  readonly roles: readonly Role[];
  /** Folders below which this daemon finds pictures. */
  readonly roots: readonly string[];
  /** Undefined if this daemon is alone. */
  readonly singletons: Singletons | undefined;
  readonly clock: Clock;
  readonly report: () => ProcessReport;
  readonly log: Log;
}): Peers {
  const { own, roles, roots, singletons, clock } = options;
  const startedAt = clock.monotonic();
  let others: readonly Peer[] = [];
  /** Folders below which others find pictures, and the time of that report. */
  const theirRoots = new Map<string, number>();
  let known: { readonly session: string; readonly since: number } | undefined;

  /** Tells whether the end of another session is meaningful: not if the database itself has just come back. */
  const sessionsAreMeaningful = (): boolean => {
    const session = singletons?.session();
    if (!session) {
      known = undefined;
      return false;
    }
    const name = `${session.pid} ${session.startedAt}`;
    if (known?.session !== name) known = { session: name, since: performance.now() };
    return performance.now() - known.since > settledAfterMs;
  };

  const logChanges = (now: readonly Peer[]): void => {
    const names = (peers: readonly Peer[]) => new Map(peers.map((peer) => [peer.processId, peerName(peer)]));
    const [before, after] = [names(others), names(now)];
    for (const [id, name] of after) if (!before.has(id)) options.log.info({ peer: name }, "another daemon shares the database");
    for (const [id, name] of before) if (!after.has(id)) options.log.info({ peer: name }, "a daemon that shared the database is gone");
  };

  return {
    ownId: own.processId,
    roles,
    alone: singletons === undefined,
    others: () => others,
    held: () => singletons?.held() ?? [],
    does: (name) => singletons === undefined || singletons.held().includes(name),
    someoneHas: (role) => others.some((peer) => peer.roles.includes(role)),
    watchedElsewhere: (folder) => {
      const isBelow = (root: string): boolean => isInside(root, folder);
      return !roots.some(isBelow) && [...theirRoots].some(([root, at]) => clock.monotonic() - at < backAfterMs && isBelow(root));
    },
    areComplete: () => singletons === undefined || clock.monotonic() - startedAt >= backAfterMs,
    forgetBreaker: (name) => {
      others = others.map((peer) =>
        peer.report
          ? { ...peer, report: { ...peer.report, breakers: peer.report.breakers.filter((breaker) => breaker.name !== name) } }
          : peer,
      );
    },
    beat: async (sql) => {
      if (!singletons) {
        await recordHeartbeat(sql, own);
        await removeProcesses(sql, []);
        return;
      }
      const report = ProcessReport.encode(options.report());
      await recordHeartbeat(sql, own, { roles, singletons: singletons.held(), session: singletons.session(), report });
      const useSessions = sessionsAreMeaningful();
      if (useSessions && others.length > 0) await endSilentSessions(sql);
      await removeProcesses(sql, [], useSessions);
      const now = (await livingPeers(sql))
        .filter(({ processId }) => processId !== own.processId)
        .map((row) => ({ ...row, report: ProcessReport.safeParse(row.report).data }));
      logChanges(now);
      others = now;
      for (const root of now.flatMap(({ report: theirs }) => theirs?.roots ?? [])) theirRoots.set(root, clock.monotonic());
    },
  };
}

/** Returns the name of a daemon for people. */
export function peerName({ host, pid }: Pick<Peer, "host" | "pid">): string {
  return `${host} (pid ${pid})`;
}
