import { type EventMessage, EventMessages, toldTypes } from "../../src/admin/mqtt/events.ts";
import type { StateSettings } from "../../src/admin/mqtt/states.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { Follower } from "../live/follower.ts";
import { dataOf, type Frame } from "../live/frame.ts";

/** Interval of journal reads without a notification. */
const pollMs = 5_000;
/** Entries that wait at most for a broker that is slow; the oldest are dropped. */
const mostWaiting = 1_000;

/**
 * Messages about events, sent as they happen. They wait only for the next round. An event from before the connection is never sent, since
 * Home Assistant would take it for a new one.
 */
export class EventFeed {
  readonly #log: Log;
  readonly #follower: Follower;
  readonly #onEvents: () => void;
  #messages = new EventMessages();
  #waiting: Frame[] = [];
  #dropped = 0;
  #isStarted = false;

  constructor({ db, log, onEvents }: { readonly db: Database; readonly log: Log; readonly onEvents: () => void }) {
    this.#log = log;
    this.#onEvents = onEvents;
    this.#follower = new Follower({
      db,
      log,
      pollMs,
      onFrames: (frames) => this.#add(frames),
      onGap: () => {},
      onSetBack: () => {},
    });
  }

  /** Follows the journal from now on. Does nothing if it does already. Throws if the database does not reply. */
  async start(): Promise<void> {
    if (this.#isStarted) return;
    await this.#follower.start();
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    await this.#follower.stop();
    this.#waiting = [];
  }

  /** Drops what waits, because there is no connection. */
  drop(): void {
    this.#dropped += this.#waiting.filter(({ type }) => type === "event" || type === "alert_created").length;
    this.#waiting = [];
  }

  /** Says what was dropped while there was no connection. */
  connected(): void {
    this.drop();
    if (this.#dropped > 0)
      this.#log.warn({ events: this.#dropped }, "events and alerts that happened without a connection are not sent over MQTT");
    this.#dropped = 0;
    this.#messages = new EventMessages();
  }

  /** Sends the messages that wait, oldest first. Messages that cannot be sent count as dropped. */
  async tell(send: (message: EventMessage) => Promise<void>, settings: Pick<StateSettings, "prefix" | "linkOf">): Promise<void> {
    for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift()) {
      const message = this.#messages.next({ type: frame.type, data: dataOf(frame) }, settings);
      try {
        if (message) await send(message);
      } catch (error) {
        this.#dropped += 1;
        throw error;
      }
    }
  }

  #add(frames: readonly Frame[]): void {
    const told = frames.filter(({ type }) => toldTypes.has(type));
    if (told.length > 0) {
      this.#waiting.push(...told);
      this.#dropped += this.#waiting.splice(0, Math.max(0, this.#waiting.length - mostWaiting)).length;
    }
    this.#onEvents();
  }
}
