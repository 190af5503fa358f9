import { type Arrival, type End, readArrival, refusedByClose } from "../../src/contract/tail/arrival.ts";
import type { TailConnection } from "../../src/contract/tail/follow.ts";
import { Inbox } from "../../src/contract/tail/inbox.ts";

const pingMs = 20_000;
/** Time without any message after a ping until the line counts as dead. */
const deadAfterMs = 10_000;
const handshakeMs = 10_000;

/** One connection to the daemon over the browser's WebSocket. */
export class Socket implements TailConnection {
  readonly ended: Promise<End>;
  readonly #socket: WebSocket;
  readonly #inbox = new Inbox<Arrival>(
    Number.POSITIVE_INFINITY,
    () => {},
    () => {},
  );
  #pinging: ReturnType<typeof setInterval>;
  #overdue: ReturnType<typeof setTimeout> | undefined;
  #end: (end: End) => void = () => {};

  constructor(address: URL, protocols: readonly string[]) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#socket = new WebSocket(address, [...protocols]);
    this.#pinging = setInterval(() => this.#ping(), pingMs);
    this.#overdue = setTimeout(() => this.#finish("no answer", 0), handshakeMs);
    this.#socket.onopen = () => this.#heard();
    this.#socket.onmessage = ({ data }) => {
      this.#heard();
      const arrival = typeof data === "string" ? readArrival(data) : undefined;
      if (arrival) this.#inbox.put(arrival);
    };
    this.#socket.onclose = ({ code, reason }) => this.#finish(reason, code);
  }

  take(): Promise<readonly Arrival[] | undefined> {
    return this.#inbox.take();
  }

  subscribe(types: readonly string[]): void {
    this.#send({ type: "subscribe", data: { types } });
  }

  keepAlive(idleTimeoutMs: number): void {
    clearInterval(this.#pinging);
    this.#pinging = setInterval(() => this.#ping(), Math.min(pingMs, idleTimeoutMs / 2));
  }

  close(): void {
    this.#finish("closed", 1000);
  }

  /** Asks for a sign of life at once, for example when the device wakes up. */
  check(): void {
    this.#ping();
  }

  #ping(): void {
    this.#send({ type: "ping" });
    this.#overdue ??= setTimeout(() => this.#finish("no answer", 0), deadAfterMs);
  }

  #heard(): void {
    clearTimeout(this.#overdue);
    this.#overdue = undefined;
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Ends at once: a line that is cut may take a minute to close. */
  #finish(reason: string, code: number): void {
    clearInterval(this.#pinging);
    this.#heard();
    this.#socket.onmessage = null;
    this.#socket.onclose = null;
    if (this.#socket.readyState <= WebSocket.OPEN) this.#socket.close();
    this.#inbox.end();
    this.#end({ reason: reason || `closed with ${code}`, error: undefined, final: code === 1008 ? refusedByClose(reason) : undefined });
  }
}
