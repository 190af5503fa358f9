import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Connection } from "../../src/platform/database/connection.ts";
import { beginSession, giveSingletonBack, type SessionIdentity, takeSingletons } from "../../src/work/jobs/singletons-repository.ts";
import { createLoop } from "../workers/loop.ts";

/** So often it looks for what became free, and whether the session still answers. */
const lookEveryMs = 1_000;
/** A session that gives no answer for so long is given up, before the server gives up on it and others take what it held. */
const answerMs = 3_000;
/** So long somebody who stops waits until the others may have it; with the session they may in any case. */
const goodbyeMs = 1_000;

/** Who wants to do something that one daemon at a time does. */
export interface Candidate {
  /** It is ours now. */
  gained(): void;
  /** It is not ours any more, and may be another's: to be stopped at once. */
  lost(): void;
}

/** What this daemon alone does among those that share its database. */
export interface Singletons {
  /** Opens the session and takes what is free of these names, for those who will stand for them. Rejects when the database does not answer. */
  start(names: readonly string[]): Promise<void>;
  /** Gives up all that is left by ending the session. */
  stop(): Promise<void>;
  /** Stands for a name from now on. What is held already is gained before this returns. */
  stand(name: string, candidate: Candidate): void;
  /** Stands for it no more, and lets another have it. */
  withdraw(name: string): Promise<void>;
  held(): readonly string[];
  /** The session that holds them; undefined while there is none. */
  session(): SessionIdentity | undefined;
}

/**
 * Makes the candidate for singletons: it holds them by advisory locks of a session of its own, so that a daemon that dies, however
 * it dies, gives them up with its session. When the session is lost everything held is given up at once, and another session is sought.
 */
export function createSingletons(options: {
  readonly openSession: (onClosed: () => void) => Promise<Connection>;
  /** What is locked for a name: daemons for which it is another do not exclude each other. The name itself unless given. */
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

  /** One thing at a time on the session. */
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
    if (gone.length > 0 && !stopped) log.warn({ singletons: gone }, "the session that holds them was lost; they are given up here");
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

  /** Asks for what is not held here; with nothing to ask for, whether the session lives. */
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
        log.info({ singleton: name }, "this daemon does it now");
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
      // it ends after its round, which may wait for a server that is away
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
        // with its session it is given back in any case
        log.debug({ singleton: name, error: String(error) }, "could not give it back by itself");
        current.destroy();
        lose(current);
      }
    },
    held: () => [...held],
    session: () => session,
  };
}
