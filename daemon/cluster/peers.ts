import { ProcessReport } from "../../src/admin/system/process-report.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import { minuteMs } from "../../src/base/clock/durations.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Role } from "../../src/platform/config/roles.ts";
import type { Sql } from "../../src/platform/database/database.ts";
import { isInside } from "../../src/platform/disk/inside.ts";
import {
  beatProcess,
  endSilentSessions,
  livingPeers,
  type PeerRow,
  type ProcessRow,
  removeProcesses,
} from "../../src/work/jobs/processes-repository.ts";
import type { UpstreamName } from "../../src/work/operations/upstream-state.ts";
import type { Singletons } from "./singletons.ts";

/** A session that was opened so long ago says that the database has been there for a while, and the others had time to come back. */
const settledAfterMs = 5_000;
/** A machine that starts anew is back by then. What it watches is its own until then. */
const backAfterMs = 5 * minuteMs;

/** A living daemon on the same database. */
export interface Peer extends Omit<PeerRow, "report"> {
  /** Undefined when it is of a version that says other things. */
  readonly report: ProcessReport | undefined;
}

/** The daemons that share this database. */
export interface Peers {
  /** This daemon's id. */
  readonly ownId: string;
  readonly roles: readonly Role[];
  /** Nobody else can be using the database: all roles are here, and nothing is asked of anybody. */
  readonly alone: boolean;
  /** All but this one, as they were a second ago at most. */
  others(): readonly Peer[];
  /** Shows that this daemon lives, says what it does, removes those that are gone, and reads what the others say. */
  beat(sql: Sql): Promise<void>;
  /** The singletons that this daemon holds now. */
  held(): readonly string[];
  /** Whether a singleton runs here, if anywhere: it is held, or nobody else is there to hold it. */
  does(name: string): boolean;
  /** Somebody who lives has the role. */
  someoneHas(role: Role): boolean;
  /** Whether a daemon finds pictures in this folder, below a root that we do not have. One that is gone still counts for five minutes. */
  watchedElsewhere(folder: string): boolean;
  /** Nobody else is there who was not heard of: we are alone, or have been here long enough for all to start. */
  areComplete(): boolean;
  /** What the others said of a breaker holds no more. */
  forgetBreaker(name: UpstreamName): void;
}

/** Makes the view of the others. `report` is asked at each beat. */
export function createPeers(options: {
  readonly own: ProcessRow;
  readonly roles: readonly Role[];
  /** Below which this daemon finds pictures. */
  readonly roots: readonly string[];
  /** Undefined when this daemon is alone. */
  readonly singletons: Singletons | undefined;
  readonly clock: Clock;
  readonly report: () => ProcessReport;
  readonly log: Log;
}): Peers {
  const { own, roles, roots, singletons, clock } = options;
  const startedAt = clock.monotonic();
  let others: readonly Peer[] = [];
  /** Below which others find pictures, and when they last said so. */
  const theirRoots = new Map<string, number>();
  let known: { readonly session: string; readonly since: number } | undefined;

  /** Whether the end of another's session says something: not when the database itself came back a moment ago. */
  const sessionsTell = (): boolean => {
    const session = singletons?.session();
    if (!session) {
      known = undefined;
      return false;
    }
    const name = `${session.pid} ${session.startedAt}`;
    if (known?.session !== name) known = { session: name, since: performance.now() };
    return performance.now() - known.since > settledAfterMs;
  };

  const tellOfChanges = (now: readonly Peer[]): void => {
    const names = (peers: readonly Peer[]) => new Map(peers.map((peer) => [peer.processId, peerName(peer)]));
    const [before, after] = [names(others), names(now)];
    for (const [id, name] of after) if (!before.has(id)) options.log.info({ peer: name }, "another daemon shares the database");
    for (const [id, name] of before) if (!after.has(id)) options.log.info({ peer: name }, "a daemon is gone that shared the database");
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
        await beatProcess(sql, own);
        await removeProcesses(sql, []);
        return;
      }
      const report = ProcessReport.encode(options.report());
      await beatProcess(sql, own, { roles, singletons: singletons.held(), session: singletons.session(), report });
      const tell = sessionsTell();
      if (tell && others.length > 0) await endSilentSessions(sql);
      await removeProcesses(sql, [], tell);
      const now = (await livingPeers(sql))
        .filter(({ processId }) => processId !== own.processId)
        .map((row) => ({ ...row, report: ProcessReport.safeParse(row.report).data }));
      tellOfChanges(now);
      others = now;
      for (const root of now.flatMap(({ report: said }) => said?.roots ?? [])) theirRoots.set(root, clock.monotonic());
    },
  };
}

/** How a daemon is called when people read of it. */
export function peerName({ host, pid }: Pick<Peer, "host" | "pid">): string {
  return `${host} (pid ${pid})`;
}
