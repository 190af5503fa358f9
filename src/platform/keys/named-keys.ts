import { type Clock, dayMs, minuteMs } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { KeyRole } from "../../contract/constants.ts";
import type { Database } from "../database/database.ts";
import type { Sealer } from "../secrets/sealer.ts";
import { hashOf } from "./keyring.ts";
import { type KnownKey, keysChannel, readKnownKeys, storeUse } from "./keys-repository.ts";

/** What a client may do. */
export interface Access {
  readonly kind: "configured" | "key" | "session";
  /** Id of the named key or session; undefined for a key of `API_KEYS`. */
  readonly keyId: string | undefined;
  /** Name of the person or program, stored with what it changes. */
  readonly name: string;
  readonly role: KeyRole;
  /** The cameras of a guest; undefined: all. */
  readonly cameraIds: readonly string[] | undefined;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** SHA-256 of the key, in hexadecimal digits; undefined for a session. */
  readonly keyHash: string | undefined;
}

/** The name of clients with a key of `API_KEYS`, which have no names. */
export const configuredName = "API_KEYS";

/** A key or session that was found by its secret. */
export interface FoundKey {
  readonly access: Access;
  /** False if it was revoked or has expired. */
  readonly isActive: boolean;
}

/**
 * The named keys and sessions in memory, so that a request costs no query. Every process follows the changes of all processes; while the
 * database is away, the last known keys count.
 */
export interface NamedKeys {
  find(secret: string | Buffer): FoundKey | undefined;
  /** Stores that a key was used, at most once a minute, and extends a session that is in use. */
  noteUse(keyId: string): void;
  /** Tells whether the key with this id still works. */
  isActive(keyId: string): boolean;
  /** Calls the listener after keys changed or expired. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Reads the keys again: after a change in this process, it applies when the promise resolves. */
  load(): Promise<void>;
  /** Reads the keys and follows their changes. Throws if the database cannot be read. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A session ends after this time without use. */
export const sessionMs = 90 * dayMs;
/** A session is extended once less than this is left, so that its daemons read the keys again a few times a year only. */
const extendBelowMs = 80 * dayMs;
/** Interval in which the use of a key is stored. */
const useMs = minuteMs;
/** Delay after a change that could not be read. */
const retryMs = 1_000;
/** Interval in which expired keys are noticed, to close their connections. */
const expiryMs = 1_000;

export interface NamedKeysOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Signs the hash of a key as the start of a session (`fromMac`). */
  readonly macOf: (keyHash: string) => string;
  /** Hashes of the keys of `API_KEYS`, in hexadecimal digits. */
  readonly configuredHashes: readonly string[];
}

/**
 * Returns the function that signs the hash of a key for the sessions that begin with it. The database alone does not tell which key that
 * was: a key of `API_KEYS` may be a word that could be guessed from its hash.
 */
export function sessionMac(sealer: Pick<Sealer, "sign">): (keyHash: string) => string {
  return (keyHash) => sealer.sign("key of a session", keyHash).toString("hex");
}

/** Creates the known keys, without any until `start`. */
export function createNamedKeys(options: NamedKeysOptions): NamedKeys {
  return new KnownKeys(options);
}

class KnownKeys implements NamedKeys {
  readonly #options: NamedKeysOptions;
  readonly #listeners = new Set<() => void>();
  #byHash: ReadonlyMap<string, KnownKey> = new Map();
  #byId: ReadonlyMap<string, KnownKey> = new Map();
  /** Keys by the code that stands in the sessions that began with them. */
  #byMac: ReadonlyMap<string, KnownKey> = new Map();
  readonly #configuredMacs: ReadonlySet<string>;
  /** When the use of a key was stored last, in milliseconds since 1970. */
  readonly #usedAt = new Map<string, number>();
  #loading: Promise<void> = Promise.resolve();
  #unlisten: (() => Promise<void>) | undefined;
  #retry: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #checkedAt: Date;

  constructor(options: NamedKeysOptions) {
    this.#options = options;
    this.#configuredMacs = new Set(options.configuredHashes.map(options.macOf));
    this.#checkedAt = options.clock.now();
  }

  find(secret: string | Buffer): FoundKey | undefined {
    // The hash of a random key tells nothing about it, so that its look-up needs no constant time.
    const key = this.#byHash.size === 0 ? undefined : this.#byHash.get(hashOf(secret).toString("hex"));
    if (!key || key.kind === "invitation") return undefined;
    const { id, kind, name, role, cameraIds, expiresAt } = key;
    const keyHash = kind === "key" ? key.hash : undefined;
    return { access: { kind, keyId: id, name, role, cameraIds: cameraIds ?? undefined, expiresAt, keyHash }, isActive: this.isActive(id) };
  }

  noteUse(keyId: string): void {
    const { db, clock, log } = this.#options;
    const now = clock.now();
    const key = this.#byId.get(keyId);
    if (!key || Math.abs(now.getTime() - (this.#usedAt.get(keyId) ?? 0)) < useMs) return;
    this.#usedAt.set(keyId, now.getTime());
    const isEnding = key.kind === "session" && key.expiresAt !== null && key.expiresAt.getTime() - now.getTime() < extendBelowMs;
    const expiresAt = isEnding ? new Date(now.getTime() + sessionMs) : undefined;
    db.query((sql) => storeUse(sql, keyId, expiresAt, now)).catch((error: unknown) =>
      log.debug({ error: String(error) }, "the use of a key was not stored"),
    );
  }

  isActive(keyId: string): boolean {
    const key = this.#byId.get(keyId);
    if (key === undefined || key.endedAt !== null || (key.expiresAt !== null && key.expiresAt <= this.#options.clock.now())) return false;
    if (key.fromMac === null || this.#configuredMacs.has(key.fromMac)) return true;
    // A session that began with a key ends with it.
    const from = this.#byMac.get(key.fromMac);
    return from !== undefined && this.isActive(from.id);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads one at a time, so that an older result never replaces a newer one. */
  load(): Promise<void> {
    const next = this.#loading.then(async () => {
      const keys = await this.#options.db.query(readKnownKeys);
      this.#byHash = new Map(keys.map((key) => [key.hash, key]));
      this.#byId = new Map(keys.map((key) => [key.id, key]));
      this.#byMac = new Map(keys.filter(({ kind }) => kind === "key").map((key) => [this.#options.macOf(key.hash), key]));
      this.#notify();
    });
    this.#loading = next.catch(() => {});
    return next;
  }

  async start(): Promise<void> {
    await this.load();
    this.#unlisten = await this.#options.db.listen(
      keysChannel,
      () => this.#reload(),
      () => this.#reload(),
    );
    this.#expiry = setInterval(() => this.#noticeExpired(), expiryMs).unref();
  }

  async stop(): Promise<void> {
    const end = this.#unlisten;
    this.#unlisten = undefined;
    clearTimeout(this.#retry);
    clearInterval(this.#expiry);
    await end?.();
    await this.#loading;
  }

  #reload(): void {
    this.load().catch((error: unknown) => {
      if (!this.#unlisten) return;
      this.#options.log.warn({ err: error }, "changed keys could not be read; the previous ones stay in force until then");
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined;
        this.#reload();
      }, retryMs);
    });
  }

  #noticeExpired(): void {
    const [before, now] = [this.#checkedAt, this.#options.clock.now()];
    this.#checkedAt = now;
    const hasExpired = ({ expiresAt }: KnownKey): boolean => expiresAt !== null && expiresAt > before && expiresAt <= now;
    if ([...this.#byId.values()].some(hasExpired)) this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
