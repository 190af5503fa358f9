import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type ControlMessage, refusals } from "../../src/contract/live.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { Access } from "../../src/platform/keys/named-keys.ts";
import type { TokenRate } from "../../src/platform/limits/token-bucket.ts";
import type { PublishedRow } from "../../src/work/journal/journal-repository.ts";
import type { LiveStats } from "../../src/work/operations/runtime.ts";
import type { ClientAddress } from "../http/client-address.ts";
import { answerWithoutUpgrade, asksForWebSocket } from "../http/other-upgrade.ts";
import { Client, closeTimeoutMs, controlFrame, hardMessageLimit, turnAway } from "./client.ts";
import { ConnectionLimit, type MostConnections } from "./connection-limit.ts";
import { Follower } from "./follower.ts";
import type { Frame } from "./frame.ts";
import { type AccessChecks, checkUpgrade, readSince, reject } from "./handshake.ts";
import { createReplay, type Replay } from "./replay.ts";

/** Pieces of a message that is still arriving: each takes memory beside its bytes. */
const maxPieces = { maxFragments: 1_024, maxBufferedChunks: 4_096 };
/** Refused connections that may wait for their clients to reply to the close. Each takes about 20 KB. */
const maxRefused = 500;

export interface HubLimits {
  readonly connections: MostConnections;
  readonly clientAddress: ClientAddress;
  /** Messages and control frames of each client. */
  readonly messages: TokenRate;
}

export interface HubOptions extends AccessChecks {
  /** The HTTP server of the daemon. The hub handles its upgrade requests and nothing else. */
  readonly server: Server;
  readonly db: Database;
  readonly config: { readonly websocketIdleTimeoutSeconds: number };
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Without it, clients may open any number of connections and send any number of messages. */
  readonly limits?: HubLimits | undefined;
  /** Interval of journal reads without a notification (default 1000 ms). */
  readonly pollMs?: number;
}

/** Creates the hub on the paths of the contract. Until it is started, upgrade requests get 503. */
export function createHub(options: HubOptions): Hub {
  return new Hub(options);
}

/** Pushes the journal to WebSocket clients: each message once and in order, whichever process numbered it. */
export class Hub {
  readonly #options: HubOptions;
  readonly #clients = new Set<Client>();
  readonly #unfinished = new Set<Promise<void>>();
  readonly #counters = { messagesSent: 0, replayed: 0, cutSlow: 0 };
  /** The subprotocols that carried a key. */
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  readonly #webSockets: WebSocketServer;
  readonly #connections: ConnectionLimit | undefined;
  readonly #follower: Follower;
  readonly #replay: Replay;
  #refused = 0;
  #lastBroadcast: Date | null = null;
  #running = false;

  constructor(options: HubOptions) {
    const { server, db, log, pollMs = 1_000 } = options;
    this.#options = options;
    this.#connections = options.limits && new ConnectionLimit(options.limits.connections);
    this.#webSockets = this.#createWebSocketServer();
    this.#follower = new Follower({
      ...{ db, log, pollMs },
      onFrames: (frames) => this.#broadcast(frames),
      onGap: (from, to) => this.#broadcastFrame(controlFrame("gap", { from, to }, this.#now()), (client) => client.live),
      onSetBack: (head, before) => this.#setBack(head, before),
    });
    this.#replay = createReplay(db, this.#follower);
    // attached all the time: without a listener the HTTP routes would reply with a 404, which makes clients stop reconnecting
    server.on("upgrade", (request, stream, head) => this.#onUpgrade(request, stream, head));
  }

  /** Accepts connections from now on. Rejects if the database does not reply. */
  async start(): Promise<void> {
    await this.#follower.start();
    this.#running = true;
  }

  /** Closes all connections with 1001, and cuts those that do not reply within a second. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#closeAll();
    await this.#unfinishedEnd();
    await this.#follower.stop();
  }

  stats(): LiveStats {
    const { healthy: running } = this.#follower;
    return { ...this.#counters, connectedClients: this.#clients.size, running, lastBroadcast: this.#lastBroadcast };
  }

  /** Takes rows that this process has just numbered. */
  readonly publish = (rows: readonly PublishedRow[]): void => this.#follower.publish(rows);

  /** Sends a control message, which is in no journal, to all clients that subscribed to it. */
  broadcastControl(type: "system_status", data: Extract<ControlMessage, { type: "system_status" }>["data"]): void {
    this.#broadcastFrame(controlFrame(type, data, this.#now()), (client) => client.subscription.wants(type));
  }

  /** Closes the connections whose key was revoked or has expired. */
  closeEnded(): void {
    for (const client of this.#clients) if (!this.#isActive(client)) client.refuse(refusals.key);
  }

  #isActive({ access }: Client): boolean {
    return access === undefined || this.#options.isActive?.(access) !== false;
  }

  #now(): Date {
    return this.#options.clock.now();
  }

  #createWebSocketServer(): WebSocketServer {
    const webSockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      // each client merges its pongs
      autoPong: false,
      maxPayload: hardMessageLimit,
      ...maxPieces,
      // a browser accepts a connection only if one of its offered protocols is selected, even for a refused one
      handleProtocols: (offered, request) => {
        const used = this.#protocols.get(request);
        return used !== undefined && offered.has(used) ? used : ([...offered][0] ?? false);
      },
    });
    // an invalid handshake; a method other than GET is reported first
    webSockets.on("wsClientError", (error: Error, stream: Duplex, { method }: IncomingMessage) => {
      if (method === "GET") reject(stream, "400 Bad Request", error.message, { "Sec-WebSocket-Version": "13, 8" });
      else reject(stream, "405 Method Not Allowed", `${method} is not allowed here; use GET`, { Allow: "GET" });
    });
    return webSockets;
  }

  #broadcast(frames: readonly Frame[]): void {
    const joined = frames.length === 1 && frames[0] ? frames[0].bytes : Buffer.concat(frames.map((frame) => frame.bytes));
    for (const client of this.#clients) if (client.live) client.deliver(frames, joined);
    this.#lastBroadcast = this.#now();
  }

  #broadcastFrame(bytes: Buffer, wanted: (client: Client) => boolean): void {
    for (const client of this.#clients) if (client.greeted && wanted(client)) client.broadcast(bytes);
  }

  #setBack(head: number, before: number): void {
    for (const client of this.#clients) {
      if (!client.live) continue;
      client.gap(head + 1, before);
      client.goLive(head);
    }
  }

  #onUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const { server, log } = this.#options;
    if (!asksForWebSocket(request)) {
      answerWithoutUpgrade(server, request, stream, head);
      return;
    }
    // no one else listens until the handshake is over; the close that follows does the work
    stream.on("error", (error) => log.debug({ error: String(error) }, "a WebSocket connection failed"));
    const work = this.#upgrade(request, stream, head)
      .catch((error: unknown) => {
        log.error({ error: String(error) }, "an upgrade request could not be checked");
        reject(stream, "500 Internal Server Error", "Internal server error");
      })
      .finally(() => this.#unfinished.delete(work));
    this.#unfinished.add(work);
  }

  async #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const checked = await checkUpgrade(request, this.#options);
    if (stream.destroyed) return;
    const isTooMany = this.#running && checked.kind === "accepted" && !this.#admit(request, stream);
    const verdict = isTooMany ? ({ kind: "refused", reason: refusals.limit } as const) : checked;
    if (!this.#running) return reject(stream, "503 Service Unavailable", "homesec is stopping");
    if (verdict.kind === "rejected") return reject(stream, verdict.status, verdict.detail);
    if (verdict.kind === "accepted" && verdict.protocol !== undefined) this.#protocols.set(request, verdict.protocol);

    await new Promise<void>((resolve) => {
      stream.once("close", resolve);
      this.#webSockets.handleUpgrade(request, stream, head, (socket) => {
        // faults of the other side; the connection closes after each
        socket.on("error", (error) => this.#options.log.debug({ error: String(error) }, "a WebSocket connection failed"));
        if (verdict.kind === "refused") this.#refuse(socket, stream, verdict.reason);
        else resolve(this.#connect(socket, stream, { request, access: verdict.access }));
      });
    });
  }

  /** Counts the connection until it closes. Returns false if there are too many. */
  #admit(request: IncomingMessage, stream: Duplex): boolean {
    const { limits } = this.#options;
    if (!limits || !this.#connections) return true;
    const end = this.#connections.open(limits.clientAddress(request));
    if (end) stream.once("close", end);
    return end !== undefined;
  }

  /** Closes with 1008. A client that does not reply is cut, at once if many do not. */
  #refuse(socket: WebSocket, stream: Duplex, reason: string): void {
    turnAway(socket, stream, reason);
    this.#refused += 1;
    socket.once("close", () => {
      this.#refused -= 1;
    });
    if (this.#refused > maxRefused) socket.terminate();
  }

  async #connect(
    socket: WebSocket,
    stream: Duplex,
    { request, access }: { readonly request: IncomingMessage; readonly access: Access | undefined },
  ): Promise<void> {
    const { clock, log, config, limits } = this.#options;
    const peer = request.socket.remoteAddress;
    const client = new Client({
      ...{ socket, stream, clock, idleTimeoutMs: config.websocketIdleTimeoutSeconds * 1_000, messageRate: limits?.messages, access },
      onSent: (messages) => {
        this.#counters.messagesSent += messages;
      },
      onCut: (bufferedBytes) => {
        this.#counters.cutSlow += 1;
        log.info({ buffered_bytes: bufferedBytes, peer }, "disconnected a WebSocket client that does not read");
      },
      onFlood: () => log.info({ peer }, "closed the connection of a WebSocket client that sends too many messages"),
    });
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    // the key may have been revoked during the handshake
    if (!this.#isActive(client)) return client.refuse(refusals.key);
    try {
      await this.#bringUp(client, readSince(request));
    } catch (error) {
      log.warn({ error: String(error) }, "could not bring a WebSocket client up to date; it must reconnect");
      socket.close(1013, "The journal cannot be read now; try again");
    }
  }

  async #bringUp(client: Client, since: ReturnType<typeof readSince>): Promise<void> {
    const { version, config } = this.#options;
    const greet = (): void =>
      client.greet({ version, last_sequence: this.#follower.head, idle_timeout_seconds: config.websocketIdleTimeoutSeconds });
    if (typeof since === "number") {
      const replayed = await this.#replay.resume(client, since, greet);
      this.#counters.replayed += replayed;
      return;
    }
    greet();
    client.goLive(this.#follower.head);
    if (since) {
      client.control("error", { message: `since=${since.malformed} is not a sequence (a whole number from 0); nothing is replayed` });
    }
  }

  async #closeAll(): Promise<void> {
    const open = [...this.#webSockets.clients];
    const gone = open.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of open) socket.close(1001, "Going away");
    const cut = setTimeout(() => {
      for (const socket of open) socket.terminate();
    }, closeTimeoutMs);
    await Promise.all(gone);
    clearTimeout(cut);
  }

  /** Waits for unfinished upgrades, but only for a while: one that hangs on the database or an access check must not delay the stop. */
  async #unfinishedEnd(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeTimeoutMs);
    });
    await Promise.race([Promise.all(this.#unfinished), enough]);
    clearTimeout(timer);
  }
}
