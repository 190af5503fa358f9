import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { ControlMessage } from "../../src/contract/live.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { PublishedRow } from "../../src/work/journal/journal-repository.ts";
import type { LiveStats } from "../../src/work/operations/runtime.ts";
import { answerWithoutUpgrade, asksForWebSocket } from "../http/other-upgrade.ts";
import { Client, controlFrame, hardMessageLimit } from "./client.ts";
import { Follower } from "./follower.ts";
import type { Frame } from "./frame.ts";
import { type Gates, judge, readSince, reject } from "./handshake.ts";
import { createReplay } from "./replay.ts";

/** Time for clients to reply to the close at a stop before their connections are cut. */
const goodbyeMs = 1_000;

export interface HubOptions extends Gates {
  /** The HTTP server of the daemon. The hub handles its upgrade requests and nothing else. */
  readonly server: Server;
  readonly db: Database;
  readonly config: { readonly websocketIdleTimeoutSeconds: number };
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Interval of journal reads without a notification (default 1000 ms). */
  readonly pollMs?: number;
}

/** Pushes the journal to WebSocket clients: each message once and in order, whichever process numbered it. */
export interface Hub {
  /** Accepts connections from now on. Rejects if the database does not reply. */
  start(): Promise<void>;
  /** Closes all connections with 1001, and cuts those that do not reply within a second. */
  stop(): Promise<void>;
  stats(): LiveStats;
  /** Takes rows that this process has just numbered. */
  publish(rows: readonly PublishedRow[]): void;
  /** Sends a control message, which is in no journal, to all clients that subscribed to it. */
  broadcastControl(type: "system_status", data: Extract<ControlMessage, { type: "system_status" }>["data"]): void;
}

/** Creates the hub on the paths of the contract. Until it is started, upgrade requests get 503. */
export function createHub(options: HubOptions): Hub {
  const { server, db, clock, log, version } = options;
  const idleTimeoutSeconds = options.config.websocketIdleTimeoutSeconds;
  const clients = new Set<Client>();
  const unfinished = new Set<Promise<void>>();
  const counters = { messagesSent: 0, replayed: 0, cutSlow: 0 };
  let lastBroadcast: Date | null = null;
  let running = false;

  const protocols = new WeakMap<IncomingMessage, string>();
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: hardMessageLimit,
    // a browser accepts a connection only if one of its offered protocols is selected, even for a refused one
    handleProtocols: (offered, request) => {
      const used = protocols.get(request);
      return used !== undefined && offered.has(used) ? used : ([...offered][0] ?? false);
    },
  });

  // an invalid handshake; a method other than GET is reported first
  webSockets.on("wsClientError", (error: Error, stream: Duplex, { method }: IncomingMessage) => {
    if (method === "GET") reject(stream, "400 Bad Request", error.message, { "Sec-WebSocket-Version": "13, 8" });
    else reject(stream, "405 Method Not Allowed", `${method} is not allowed here; use GET`, { Allow: "GET" });
  });

  const broadcast = (frames: readonly Frame[]): void => {
    const joined = frames.length === 1 && frames[0] ? frames[0].bytes : Buffer.concat(frames.map((frame) => frame.bytes));
    for (const client of clients) if (client.live) client.deliver(frames, joined);
    lastBroadcast = clock.now();
  };

  const tellAll = (bytes: Buffer, wanted: (client: Client) => boolean): void => {
    for (const client of clients) if (client.greeted && wanted(client)) client.broadcast(bytes);
  };

  const follower = new Follower({
    db,
    log,
    pollMs: options.pollMs ?? 1_000,
    onFrames: broadcast,
    onGap: (from, to) => tellAll(controlFrame("gap", { from, to }, clock.now()), (client) => client.live),
    onSetBack: (head, before) => {
      for (const client of clients) {
        if (!client.live) continue;
        client.gap(head + 1, before);
        client.goLive(head);
      }
    },
  });
  const replay = createReplay(db, follower);

  const connect = async (socket: WebSocket, stream: Duplex, request: IncomingMessage): Promise<void> => {
    const client = new Client({
      socket,
      stream,
      clock,
      idleTimeoutMs: idleTimeoutSeconds * 1_000,
      onSent: (messages) => {
        counters.messagesSent += messages;
      },
      onCut: (bufferedBytes) => {
        counters.cutSlow += 1;
        log.info(
          { buffered_bytes: bufferedBytes, peer: request.socket.remoteAddress },
          "disconnected a WebSocket client that does not read",
        );
      },
    });
    clients.add(client);
    socket.on("close", () => clients.delete(client));
    try {
      await bringUp(client, readSince(request));
    } catch (error) {
      log.warn({ error: String(error) }, "could not bring a WebSocket client up to date; it must reconnect");
      socket.close(1013, "The journal cannot be read now; try again");
    }
  };

  const bringUp = async (client: Client, since: ReturnType<typeof readSince>): Promise<void> => {
    const greet = (): void => client.greet({ version, last_sequence: follower.head, idle_timeout_seconds: idleTimeoutSeconds });
    if (typeof since === "number") {
      counters.replayed += await replay.resume(client, since, greet);
      return;
    }
    greet();
    client.goLive(follower.head);
    if (since) {
      client.control("error", { message: `since=${since.malformed} is not a sequence (a whole number from 0); nothing is replayed` });
    }
  };

  const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    const verdict = await judge(request, options);
    if (!running) return reject(stream, "503 Service Unavailable", "homesec is stopping");
    if (verdict.kind === "rejected") return reject(stream, verdict.status, verdict.detail);
    if (verdict.kind === "accepted" && verdict.protocol !== undefined) protocols.set(request, verdict.protocol);

    if (stream.destroyed) return;
    await new Promise<void>((resolve) => {
      stream.once("close", resolve);
      webSockets.handleUpgrade(request, stream, head, (socket) => {
        // faults of the other side; the connection closes after each
        socket.on("error", (error) => log.debug({ error: String(error) }, "a WebSocket connection failed"));
        if (verdict.kind === "refused") socket.close(1008, verdict.reason);
        else resolve(connect(socket, stream, request));
      });
    });
  };

  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if (!asksForWebSocket(request)) {
      answerWithoutUpgrade(server, request, stream, head);
      return;
    }
    // no one else listens until the handshake is over; the close that follows does the work
    stream.on("error", (error) => log.debug({ error: String(error) }, "a WebSocket connection failed"));
    const work = upgrade(request, stream, head)
      .catch((error: unknown) => {
        log.error({ error: String(error) }, "an upgrade request could not be checked");
        reject(stream, "500 Internal Server Error", "Internal server error");
      })
      .finally(() => unfinished.delete(work));
    unfinished.add(work);
  };

  const closeAll = async (): Promise<void> => {
    const open = [...webSockets.clients];
    const gone = open.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of open) socket.close(1001, "Going away");
    const cut = setTimeout(() => {
      for (const socket of open) socket.terminate();
    }, goodbyeMs);
    await Promise.all(gone);
    clearTimeout(cut);
  };

  /** Waits for unfinished upgrades, but only for a while: one that hangs on the database or an access check must not delay the stop. */
  const unfinishedEnd = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, goodbyeMs);
    });
    await Promise.race([Promise.all(unfinished), enough]);
    clearTimeout(timer);
  };

  // attached all the time: without a listener the HTTP routes would reply with a 404, which makes clients stop reconnecting
  server.on("upgrade", onUpgrade);

  return {
    start: async () => {
      await follower.start();
      running = true;
    },
    stop: async () => {
      running = false;
      await closeAll();
      await unfinishedEnd();
      await follower.stop();
    },
    stats: () => ({ ...counters, connectedClients: clients.size, running: follower.well, lastBroadcast }),
    publish: (rows) => follower.publish(rows),
    broadcastControl: (type, data) => tellAll(controlFrame(type, data, clock.now()), (client) => client.subscription.wants(type)),
  };
}
