import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

interface Told {
  readonly type: string;
  readonly data: unknown;
}

/** A refusal of the stand-in, with its reason. */
export class Refusal {
  readonly status: number;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

/** The stand-in's reply to a request: a JSON body, bytes, a `Refusal`, or undefined for 404. */
export type Answer = (method: string, path: string, query: URLSearchParams) => unknown;

const timestamp = "2026-01-31T12:00:00.000Z";

/** A daemon as `homesec live` sees it: an API with given replies, and a journal behind a WebSocket. */
export class LiveStandIn {
  /** Requests, such as `GET /api/events`. */
  readonly requests: string[] = [];
  readonly #answer: Answer;
  readonly #clients = new Set<WebSocket>();
  readonly #journal: object[] = [];
  #server = createServer();
  #port = 0;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Number of messages in the journal. */
  get length(): number {
    return this.#journal.length;
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Listens; on the same port after a restart. */
  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      this.requests.push(`${request.method} ${url.pathname}`);
      const answer =
        this.#answer(request.method ?? "", url.pathname, url.searchParams) ?? new Refusal(404, `${url.pathname} does not exist`);
      const isBytes = answer instanceof Uint8Array;
      const isRefusal = answer instanceof Refusal;
      const headers = isRefusal ? answer.headers : {};
      response.writeHead(isRefusal ? answer.status : 200, { "Content-Type": isBytes ? "image/jpeg" : "application/json", ...headers });
      response.end(isBytes ? answer : JSON.stringify(isRefusal ? { detail: answer.detail } : answer));
    });
    const live = new WebSocketServer({ server: this.#server, path: "/ws/events" });
    live.on("connection", (socket, request) => {
      const since = new URL(request.url ?? "/", "ws://x").searchParams.get("since");
      const data = { version: "1.2.3", last_sequence: this.#journal.length, idle_timeout_seconds: 300 };
      socket.send(JSON.stringify({ type: "connected", data, timestamp }));
      for (const message of this.#journal.slice(since === null ? this.#journal.length : Number(since)))
        socket.send(JSON.stringify(message));
      this.#clients.add(socket);
      socket.on("close", () => this.#clients.delete(socket));
    });
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  tell({ type, data }: Told): void {
    const message = { type, data, sequence: this.#journal.length + 1, timestamp };
    this.#journal.push(message);
    const text = JSON.stringify(message);
    for (const client of this.#clients) client.send(text);
  }

  /** Disappears like a killed process. `start` brings it back with its journal. */
  async stop(): Promise<void> {
    for (const client of this.#clients) client.terminate();
    this.#clients.clear();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
