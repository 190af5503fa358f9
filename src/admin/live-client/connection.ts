import { WebSocket } from "ws";
import { Problem } from "../../contract/problem.ts";
import type { Address } from "../../contract/tail/address.ts";
import { type Arrival, type End, readArrival, refusedByClose } from "../../contract/tail/arrival.ts";
import type { TailConnection } from "../../contract/tail/follow.ts";
import { Inbox } from "../../contract/tail/inbox.ts";

const handshakeMs = 10_000;
/** Number of messages that may wait for the consumer before the connection stops reading. */
const maxWaiting = 1_000;

export interface Pulse {
  /** Interval between pings, which also keep the daemon from closing an idle connection. */
  readonly pingMs: number;
  /** Maximum time without any message after a ping. */
  readonly deadAfterMs: number;
}

/** One connection to a daemon, read at the pace of the consumer. */
export class Connection implements TailConnection {
  readonly ended: Promise<End>;
  readonly #socket: WebSocket;
  readonly #inbox: Inbox<Arrival>;
  readonly #pulse: Pulse;
  #pinging: NodeJS.Timeout;
  #overdue: NodeJS.Timeout | undefined;

  constructor(address: Address, pulse: Pulse) {
    const socket = new WebSocket(address.url, [...address.protocols], {
      handshakeTimeout: handshakeMs,
      perMessageDeflate: false,
      ...(address.ca !== undefined && { ca: address.ca }),
    });
    this.#socket = socket;
    this.#inbox = new Inbox(
      maxWaiting,
      () => socket.pause(),
      () => {
        socket.resume();
        this.#heard();
      },
    );
    this.#pulse = pulse;
    this.#pinging = setInterval(() => this.#ping(), pulse.pingMs);
    let failure = "";
    let fault: Error | undefined;
    let final: Problem | undefined;

    socket.on("message", (data, isBinary) => {
      this.#heard();
      const arrival = isBinary ? undefined : readArrival(String(data));
      if (arrival) this.#inbox.put(arrival);
    });
    socket.on("unexpected-response", (_request, response) => {
      failure = `the daemon answered with status ${response.statusCode}`;
      final = refusedByStatus(address.url, response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on("error", (error) => {
      // A failure to wait for the reply is not a separate reason.
      if (failure !== "") return;
      failure = error.message;
      fault = error;
    });
    this.ended = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        clearInterval(this.#pinging);
        clearTimeout(this.#overdue);
        this.#inbox.end();
        if (code === 1008) final = refusedByClose(String(reason));
        const closed = `closed with ${code}${reason.length > 0 ? ` (${reason})` : ""}`;
        resolve({ reason: failure || closed, error: fault, final });
      });
    });
  }

  /** Returns the messages that have arrived, in order, and waits for the first; undefined after the end. */
  take(): Promise<readonly Arrival[] | undefined> {
    return this.#inbox.take();
  }

  /** Subscribes to these types only, once the connection is open. */
  subscribe(types: readonly string[]): void {
    this.#send({ type: "subscribe", data: { types } });
  }

  /** The daemon closes connections that are idle for this long; pings are sent twice as often. */
  keepAlive(idleTimeoutMs: number): void {
    clearInterval(this.#pinging);
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#pinging = setInterval(() => this.#ping(), Math.min(this.#pulse.pingMs, idleTimeoutMs / 2));
  }

  close(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000);
    // Do not wait for the reply to a close: it would come after everything that was not read.
    this.#socket.terminate();
  }

  #ping(): void {
    this.#send({ type: "ping" });
    // Nothing is read while the consumer is busy, so silence says nothing about the daemon.
    if (this.#overdue || this.#inbox.paused) return;
    this.#overdue = setTimeout(() => {
      this.#overdue = undefined;
      if (!this.#inbox.paused) this.#socket.terminate();
    }, this.#pulse.deadAfterMs);
  }

  #heard(): void {
    clearTimeout(this.#overdue);
    this.#overdue = undefined;
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

function refusedByStatus(url: URL, status: number): Problem | undefined {
  if (status === 404) return new Problem("not_found", `There are no live events at ${url.host}; is a homesec daemon running there?`);
  if (status === 401 || status === 403) return new Problem("forbidden", `${url.host} refuses the connection (status ${status})`);
  return undefined;
}
