import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type BrokerOptions, placeOf } from "../../src/platform/mqtt/broker.ts";
import { type BrokerFault, LeftWithBroker } from "../../src/platform/mqtt/broker-fault.ts";
import type { RecentEvents } from "../health/recent-events.ts";

/** Delay before the next attempt to connect: it doubles from the first to the longest. */
const backoffMs = { first: 1_000, longest: 30_000 };
/** Connections that the broker ends this soon, this often within a minute, point to a second client with the same id. */
const flapping = { endsWithinMs: 10_000, times: 3, withinMs: 60_000 };

/** A connection that was made. */
interface Session {
  /** Resolves when it has ended: to the fault, or to undefined if this side ended it. */
  readonly ended: Promise<BrokerFault | undefined>;
  /** Ends it cleanly. */
  leave(): Promise<void>;
}

/** The connection to the broker that exists at most once, with what to say while there is none. */
export class BrokerLink<T extends Session> {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #recentEvents: Pick<RecentEvents, "setCondition">;
  readonly #onEnd: () => void;
  readonly #part: { readonly service: string; readonly what: string };
  #session: T | undefined;
  #fault: string | null = null;
  #failures = 0;
  #retryAt = 0;
  /** When recent connections ended soon after their start. */
  #shortLived: readonly number[] = [];

  constructor(options: {
    readonly log: Log;
    readonly clock: Clock;
    readonly recentEvents: Pick<RecentEvents, "setCondition">;
    readonly onEnd: () => void;
    /** What has no connection, for the list of recent events, and what does not work then, in words. */
    readonly part: { readonly service: string; readonly what: string };
  }) {
    this.#part = options.part;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#recentEvents = options.recentEvents;
    this.#onEnd = options.onEnd;
  }

  /** The connection; undefined while there is none. */
  get session(): T | undefined {
    return this.#session;
  }

  /** Why there is no connection; null while there is one, or none is wanted. */
  get fault(): string | null {
    return this.#fault;
  }

  /** Returns the milliseconds until the next attempt. */
  msUntilRetry(): number {
    return Math.max(0, this.#retryAt - this.#clock.monotonic());
  }

  /** Connects. Notes the fault and resolves to undefined if that is not possible. */
  async connect(options: Pick<BrokerOptions, "url" | "clientId">, open: () => Promise<T>): Promise<T | undefined> {
    try {
      const session = await open();
      const openedAt = this.#clock.monotonic();
      this.#session = session;
      this.#setFault(null);
      this.#log.info({ broker: placeOf(options.url), client_id: options.clientId }, "connected to the MQTT broker");
      session.ended.then((fault) => {
        if (this.#session !== session) return;
        this.#session = undefined;
        if (fault) this.#fail(fault.message, options.clientId, fault instanceof LeftWithBroker ? undefined : openedAt);
        this.#onEnd();
      });
      return session;
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error), options.clientId);
      return undefined;
    }
  }

  /** Ends the connection because of a fault of this side. */
  async drop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.leave();
  }

  /** Ends the connection for good, or because its settings changed, and forgets faults. */
  async close(): Promise<void> {
    await this.drop();
    this.#failures = 0;
    this.#retryAt = 0;
    this.#shortLived = [];
    this.#setFault(null);
  }

  #fail(message: string, clientId: string, openedAt?: number): void {
    const now = this.#clock.monotonic();
    if (openedAt !== undefined) {
      this.#shortLived = this.#shortLived.filter((at) => now - at < flapping.withinMs);
      if (now - openedAt < flapping.endsWithinMs) this.#shortLived = [...this.#shortLived, now];
      else this.#failures = 0;
    }
    const isFlapping = this.#shortLived.length >= flapping.times;
    const backoff = Math.min(backoffMs.first * 2 ** this.#failures, backoffMs.longest);
    this.#failures += 1;
    this.#retryAt = now + backoff;
    this.#setFault(
      isFlapping
        ? `${message}, again and again: another client may use the client id ${clientId}; stop the other homesec with this DATA_DIR and PORT`
        : message,
    );
  }

  #setFault(fault: string | null): void {
    if (fault === this.#fault) return;
    if (fault !== null) this.#log.warn({ why: fault }, `${this.#part.what} does not work; trying again`);
    this.#fault = fault;
    this.#recentEvents.setCondition(this.#part.service, "disconnected", fault ?? undefined);
  }
}
