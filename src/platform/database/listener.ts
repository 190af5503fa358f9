import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../base/log/log.ts";
import type { Connection } from "./connection.ts";
import { DatabaseUnavailable, isWorthReconnecting } from "./pg-errors.ts";

interface Subscription {
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  readonly onReady: (() => void) | undefined;
}

type Connect = (onClosed: () => void, onNotify: (channel: string, payload: string) => void) => Promise<Connection>;

const firstConnectMs = 10_000;
const retryDelaysMs = [0, 50, 100, 200, 400];

/**
 * LISTEN for all channels on a separate session. It opens with the first channel and reopens after a loss as long as there are channels.
 * `onReady` reports that notifications in between may be lost.
 */
export class Listener {
  readonly #connect: Connect;
  readonly #log: Log;
  readonly #subscriptions = new Set<Subscription>();
  #session: Promise<Connection> | undefined;
  #relistening = false;
  #closed = false;

  constructor(connect: Connect, log: Log) {
    this.#connect = connect;
    this.#log = log;
  }

  /** Resolves when the server listens on the channel. Rejects with `DatabaseUnavailable` if the server is unreachable for 10 s. */
  async listen(channel: string, onNotify: (payload: string) => void, onReady?: () => void): Promise<() => Promise<void>> {
    const subscription: Subscription = { channel, onNotify, onReady };
    const deadline = performance.now() + firstConnectMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const session = await this.#theSession();
        await session.sql.unsafe(`listen ${quoted(channel)}`);
        break;
      } catch (cause) {
        if (this.#closed || !isWorthReconnecting(cause) || performance.now() > deadline) {
          throw new DatabaseUnavailable(`cannot listen on ${channel}`, { cause });
        }
        await sleep(retryDelay(attempt));
      }
    }
    this.#subscriptions.add(subscription);
    onReady?.();
    return () => this.#stop(subscription);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#subscriptions.clear();
    const session = this.#session;
    this.#session = undefined;
    try {
      await (await session)?.end();
    } catch (error) {
      this.#log.debug({ err: error }, "The listening connection was not open at the end");
    }
  }

  async #stop(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription);
    if (this.#closed || [...this.#subscriptions].some((other) => other.channel === subscription.channel)) return;
    try {
      const session = await this.#session;
      if (session && !session.closed) await session.sql.unsafe(`unlisten ${quoted(subscription.channel)}`);
    } catch (error) {
      // A lost session does not listen either
      this.#log.debug({ err: error, channel: subscription.channel }, "The channel ended with its connection");
    }
  }

  #theSession(): Promise<Connection> {
    if (this.#closed) return Promise.reject(new DatabaseUnavailable("it has been closed"));
    if (this.#session) return this.#session;
    const session = this.#connect(
      () => this.#lost(session),
      (channel, payload) => this.#notify(channel, payload),
    );
    this.#session = session;
    session.catch(() => {
      if (this.#session === session) this.#session = undefined;
    });
    return session;
  }

  #notify(channel: string, payload: string): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.channel !== channel) continue;
      this.#call(() => subscription.onNotify(payload), channel);
    }
  }

  #lost(session: Promise<Connection>): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    if (this.#closed || this.#relistening || this.#subscriptions.size === 0) return;
    this.#relistening = true;
    this.#relisten()
      .catch((error: unknown) => this.#log.error({ err: error }, "Listening for changes in the database stopped"))
      .finally(() => {
        this.#relistening = false;
      });
  }

  async #relisten(): Promise<void> {
    for (let attempt = 0; !this.#closed && this.#subscriptions.size > 0; attempt += 1) {
      await sleep(retryDelay(attempt));
      try {
        const session = await this.#theSession();
        for (const channel of new Set([...this.#subscriptions].map((subscription) => subscription.channel))) {
          await session.sql.unsafe(`listen ${quoted(channel)}`);
        }
        for (const { channel, onReady } of [...this.#subscriptions]) {
          if (onReady) this.#call(onReady, channel);
        }
        return;
      } catch (error) {
        if (attempt === retryDelaysMs.length)
          this.#log.warn({ err: error }, "The database does not answer; listening again as soon as it does");
      }
    }
  }

  #call(handler: () => void, channel: string): void {
    try {
      handler();
    } catch (error) {
      this.#log.error({ err: error, channel }, "Handling a notification of the database failed");
    }
  }
}

/** The driver's quoting treats a dot as the end of a schema's name. */
function quoted(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`;
}

function retryDelay(attempt: number): number {
  return retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)] ?? 0;
}
