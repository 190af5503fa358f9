import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Connection } from "../../src/platform/database/connection.ts";
import { beginSession, giveSingletonBack, type SessionIdentity, takeSingletons } from "../../src/work/jobs/singletons-repository.ts";
import { createLoop } from "../workers/loop.ts";

/** Interval of checks for free singletons and of the session. */
const lookEveryMs = 1_000;
/** A session without a reply for this long is dropped before the server drops it and other daemons take over. */
const answerMs = 3_000;
/** Time to wait at a stop until others may take over. They may in any case once the session ends. */
const goodbyeMs = 1_000;

/** A candidate for a singleton. */
export interface Candidate {
  /** This daemon now holds it. */
  gained(): void;
  /** This daemon no longer holds it, and another may: stop at once. */
  lost(): void;
}

/** The singletons that this daemon holds among those on its database. */
export interface Singletons {
  /** Opens the session and claims the free ones of these names for later candidates. Rejects if the database does not answer. */
  start(names: readonly string[]): Promise<void>;
  /** Releases everything by ending the session. */
  stop(): Promise<void>;
  /** Registers a candidate. A singleton that is held already is gained before this returns. */
  stand(name: string, candidate: Candidate): void;
  /** Withdraws a candidate and releases the singleton. */
  withdraw(name: string): Promise<void>;
  held(): readonly string[];
  /** The session that holds them; undefined while there is none. */
  session(): SessionIdentity | undefined;
}

/**
 * Creates the holder of singletons: it holds them by advisory locks of a dedicated session, so that a daemon releases them however it dies.
 * If the session is lost, everything is released at once and a new session is opened.
 */
export function createSingletons(options: {
  readonly openSession: (onClosed: () => void) => Promise<Connection>;
  /** The lock key of a name, by default the name: daemons with different keys do not exclude each other. */
  readonly keyOf?: (name: string) => string;
  readonly log: Log;
}): Singletons {
  const { log, keyOf = (name) => name } = options;
  const candidates = new Map<string, Candidate>();
  const wanted = new Set<string>();
  const held = new Set<string>();
  let connection: Connection | undefined;
  let session: SessionIdentity | undefined;
  let working: Promise<void> = Promise.resolve();
  let stopped = false;

  /** Serialises the work on the session. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    working = working.then(work, work);
    return working;
  };

  const lose = (lostConnection: Connection): void => {
    if (connection !== lostConnection) return;
    connection = undefined;
    session = undefined;
    const gone = [...held];
    held.clear();
    if (gone.length > 0 && !stopped) log.warn({ singletons: gone }, "lost the session that holds these singletons; released them");
    for (const name of gone) candidates.get(name)?.lost();
  };

  const open = async (): Promise<void> => {
    let opened: Connection | undefined;
    const fresh = await options.openSession(() => opened && lose(opened));
    opened = fresh;
    if (stopped) {
      fresh.destroy();
      return;
    }
    try {
      session = await within(answerMs, () => beginSession(fresh.sql));
    } catch (error) {
      fresh.destroy();
      throw error;
    }
    connection = fresh;
    if (fresh.closed) lose(fresh);
  };

  /** Claims singletons that are not held here; without any, checks the session. */
  const look = async (): Promise<void> => {
    if (stopped) return;
    if (!connection) await open();
    const current = connection;
    if (!current) return;
    try {
      const free = [...wanted].filter((name) => !held.has(name));
      const taken = new Set(await within(answerMs, () => takeSingletons(current.sql, free.map(keyOf))));
      for (const name of free.filter((each) => taken.has(keyOf(each)))) {
        held.add(name);
        log.info({ singleton: name }, "this daemon now holds the singleton");
        candidates.get(name)?.gained();
      }
    } catch (error) {
      current.destroy();
      lose(current);
      throw error;
    }
  };

  const looking = createLoop({
    name: "singletons",
    critical: false,
    log,
    retryMs: lookEveryMs,
    round: async () => {
      await inTurn(look);
      return lookEveryMs;
    },
  });

  return {
    start: async (names) => {
      for (const name of names) wanted.add(name);
      await inTurn(look);
      await looking.start();
    },
    stop: async () => {
      stopped = true;
      // It ends after its round, which may be waiting for an unreachable server.
      void looking.stop();
      const last = connection;
      connection = undefined;
      session = undefined;
      held.clear();
      await last?.end();
    },
    stand: (name, candidate) => {
      wanted.add(name);
      candidates.set(name, candidate);
      if (held.has(name)) candidate.gained();
      else looking.wake();
    },
    withdraw: async (name) => {
      wanted.delete(name);
      candidates.delete(name);
      const current = connection;
      if (!held.delete(name) || !current) return;
      try {
        await within(goodbyeMs, () => inTurn(() => giveSingletonBack(current.sql, keyOf(name))));
      } catch (error) {
        // The end of the session releases it in any case.
        log.debug({ singleton: name, error: String(error) }, "could not release the singleton; closing the session");
        current.destroy();
        lose(current);
      }
    },
    held: () => [...held],
    session: () => session,
  };
}
