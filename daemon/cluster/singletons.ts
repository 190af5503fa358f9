import { createSemaphore } from "../../src/base/async/semaphore.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Connection } from "../../src/platform/database/connection.ts";
import { beginSession, lockSingletons, type SessionIdentity, unlockSingleton } from "../../src/work/jobs/singletons-repository.ts";
import { createLoop, type Loop } from "../workers/loop.ts";

/** Interval of checks for free singletons and of the session. */
const checkEveryMs = 1_000;
/** A session without a reply for this long is dropped before the server drops it and other daemons take over. */
const replyTimeoutMs = 3_000;
/** Time to wait at a stop until others may take over. They may in any case once the session ends. */
const releaseTimeoutMs = 1_000;

/** A candidate for a singleton. */
export interface Candidate {
  /** This daemon now holds it. */
  gained(): void;
  /** This daemon no longer holds it, and another may: stop at once. */
  lost(): void;
}

interface SingletonsOptions {
  readonly openSession: (onClosed: () => void) => Promise<Connection>;
  /** The lock key of a name, by default the name: daemons with different keys do not exclude each other. */
  readonly keyOf?: (name: string) => string;
  readonly log: Log;
}

/** Creates the holder of singletons. It opens no session yet. */
export function createSingletons(options: SingletonsOptions): Singletons {
  return new Singletons(options);
}

/**
 * The singletons that this daemon holds among those on its database. It holds them by advisory locks of a dedicated session, so that a
 * daemon releases them however it dies. If the session is lost, everything is released at once and a new session is opened.
 */
export class Singletons {
  readonly #openSession: SingletonsOptions["openSession"];
  readonly #keyOf: (name: string) => string;
  readonly #log: Log;
  readonly #candidates = new Map<string, Candidate>();
  readonly #wanted = new Set<string>();
  readonly #held = new Set<string>();
  /** Serialises the work on the session. */
  readonly #mutex = createSemaphore({ max: 1 });
  readonly #loop: Loop;
  #connection: Connection | undefined;
  #session: SessionIdentity | undefined;
  #stopped = false;

  constructor({ openSession, keyOf = (name) => name, log }: SingletonsOptions) {
    this.#openSession = openSession;
    this.#keyOf = keyOf;
    this.#log = log;
    const round = async (): Promise<number> => {
      await this.#mutex.run(() => this.#claim());
      return checkEveryMs;
    };
    this.#loop = createLoop({ name: "singletons", critical: false, log, retryMs: checkEveryMs, round });
  }

  /** Opens the session and claims the free ones of these names for later candidates. Rejects if the database does not reply. */
  async start(names: readonly string[]): Promise<void> {
    for (const name of names) this.#wanted.add(name);
    await this.#mutex.run(() => this.#claim());
    await this.#loop.start();
  }

  /** Releases everything by ending the session. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // It ends after its round, which may be waiting for an unreachable server.
    void this.#loop.stop();
    const last = this.#connection;
    this.#connection = undefined;
    this.#session = undefined;
    this.#held.clear();
    await last?.end();
  }

  /** Registers a candidate. A singleton that is held already is gained before this returns. */
  register(name: string, candidate: Candidate): void {
    this.#wanted.add(name);
    this.#candidates.set(name, candidate);
    if (this.#held.has(name)) candidate.gained();
    else this.#loop.wake();
  }

  /** Withdraws a candidate and releases the singleton. */
  async withdraw(name: string): Promise<void> {
    this.#wanted.delete(name);
    this.#candidates.delete(name);
    const current = this.#connection;
    if (!this.#held.delete(name) || !current) return;
    try {
      await within(releaseTimeoutMs, () => this.#mutex.run(() => unlockSingleton(current.sql, this.#keyOf(name))));
    } catch (error) {
      // The end of the session releases it in any case.
      this.#log.debug({ singleton: name, error: String(error) }, "could not release the singleton; closing the session");
      current.destroy();
      this.#lose(current);
    }
  }

  held(): readonly string[] {
    return [...this.#held];
  }

  /** The session that holds them; undefined while there is none. */
  session(): SessionIdentity | undefined {
    return this.#session;
  }

  /** Claims singletons that are not held here; without any, checks the session. */
  async #claim(): Promise<void> {
    if (this.#stopped) return;
    if (!this.#connection) await this.#open();
    const current = this.#connection;
    if (!current) return;
    try {
      const free = [...this.#wanted].filter((name) => !this.#held.has(name));
      const taken = new Set(await within(replyTimeoutMs, () => lockSingletons(current.sql, free.map(this.#keyOf))));
      for (const name of free.filter((each) => taken.has(this.#keyOf(each)))) {
        this.#held.add(name);
        this.#log.info({ singleton: name }, "this daemon now holds the singleton");
        this.#candidates.get(name)?.gained();
      }
    } catch (error) {
      current.destroy();
      this.#lose(current);
      throw error;
    }
  }

  async #open(): Promise<void> {
    let opened: Connection | undefined;
    const fresh = await this.#openSession(() => opened && this.#lose(opened));
    opened = fresh;
    if (this.#stopped) {
      fresh.destroy();
      return;
    }
    try {
      this.#session = await within(replyTimeoutMs, () => beginSession(fresh.sql));
    } catch (error) {
      fresh.destroy();
      throw error;
    }
    this.#connection = fresh;
    if (fresh.closed) this.#lose(fresh);
  }

  #lose(lostConnection: Connection): void {
    if (this.#connection !== lostConnection) return;
    this.#connection = undefined;
    this.#session = undefined;
    const lost = [...this.#held];
    this.#held.clear();
    if (lost.length > 0 && !this.#stopped) {
      this.#log.warn({ singletons: lost }, "lost the session that holds these singletons; released them");
    }
    for (const name of lost) this.#candidates.get(name)?.lost();
  }
}
