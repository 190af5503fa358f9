import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { createHub, type Hub, type HubOptions } from "../../../daemon/live/hub.ts";
import type { Loop } from "../../../daemon/workers/loop.ts";
import { createPublisher } from "../../../daemon/workers/publisher.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import type { JournalEntry } from "../../../src/contract/live.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { appendToJournal } from "../../../src/work/journal/journal.ts";

/** A journal entry with a number, so that a test can tell entries apart. */
export const entry = (id: number): JournalEntry => ({ type: "event.deleted", data: { id } });

/** Commits entries in one transaction. */
export async function append(db: Database, entries: readonly JournalEntry[]): Promise<void> {
  await db.transaction((sql) => appendToJournal(sql, entries, new Date()));
}

export interface LiveServer {
  readonly hub: Hub;
  readonly publisher: Loop;
  readonly port: number;
  readonly url: string;
  /** Number of connected clients on the server. */
  connections(): Promise<number>;
  /** Commits entries and wakes the publisher, as a use case does. */
  publish(entries: readonly JournalEntry[]): Promise<void>;
  stop(): Promise<void>;
}

type Options = Partial<Omit<HubOptions, "server" | "db">> & {
  readonly idleSeconds?: number;
  readonly port?: number;
  readonly withPublisher?: boolean;
};

/** An HTTP server with the hub and a publisher. */
export async function liveServer(
  db: Database,
  { idleSeconds = 60, port = 0, withPublisher = true, ...options }: Options = {},
): Promise<LiveServer> {
  const server = createServer((_request, response) => void response.writeHead(404).end());
  const hub = createHub({
    ...{ server, db, clock: systemClock, log: silentLog, version: "1.2.3" },
    config: { websocketIdleTimeoutSeconds: idleSeconds },
    ...options,
  });
  const publisher = createPublisher({ db, log: silentLog, onPublished: hub.publish });
  await hub.start();
  if (withPublisher) await publisher.start();
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    hub,
    publisher,
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    connections: () => promisify(server.getConnections.bind(server))(),
    publish: async (entries) => {
      await append(db, entries);
      publisher.wake();
    },
    stop: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      await publisher.stop();
      await hub.stop();
      server.closeAllConnections();
      await closed;
    },
  };
}

export interface Message {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly sequence?: number;
  readonly timestamp: string;
}

/** A plain WebSocket client that stores everything it receives. */
export class Peer {
  readonly messages: Message[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Status, headers and body of a reply that was not an upgrade. */
  readonly rejected: Promise<{ status: number; headers: IncomingHttpHeaders; body: unknown }>;
  #changed: () => void = () => {};

  constructor(url: string, path = "/ws/events", options: { protocols?: string[]; headers?: Record<string, string> } = {}) {
    this.socket = new WebSocket(url.replace("http", "ws") + path, options.protocols ?? [], { headers: options.headers ?? {} });
    this.socket.on("message", (data) => {
      this.messages.push(JSON.parse(String(data)) as Message);
      this.#changed();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
    });
    this.rejected = new Promise((resolve) => {
      this.socket.on("unexpected-response", (_request, response) => {
        const { statusCode: status = 0, headers } = response;
        json(response).then(
          (body) => resolve({ status, headers, body }),
          () => resolve({ status, headers, body: undefined }),
        );
      });
    });
    this.socket.on("error", () => this.#changed());
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** Waits for the first message that matches. */
  async next(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`did not come; came: ${JSON.stringify(this.messages).slice(0, 500)}`)), 30_000);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  ofType(type: string): Promise<Message> {
    return this.next((message) => message.type === type);
  }

  upTo(sequence: number): Promise<Message> {
    return this.next((message) => message.sequence === sequence);
  }

  get sequences(): number[] {
    return this.messages.flatMap((message) => message.sequence ?? []);
  }
}

/** 1, 2, 3 ... */
export const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

export const delay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
