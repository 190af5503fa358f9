import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Problem } from "../../src/contract/problem.ts";
import type { KeyPair } from "../../src/platform/tls/key-pair.ts";
import { rawRefusal } from "./connection.ts";
import { asksForWebSocket } from "./other-upgrade.ts";

/** An idle connection is closed after this time. */
export const idleTimeoutMs = 120_000;

/**
 * Number of connections that wait to be accepted. The kernel drops more than that without an answer, and a client tries again only after
 * one second, then three, then seven: with the usual 511, many connections at once would keep everyone else out for that long.
 */
const backlog = 4_096;

export interface Listening {
  readonly server: Server;
  /** The actual port if port 0 was requested. */
  readonly port: number;
  /** Uses another certificate for new connections. Has no effect without TLS. */
  setKeyPair(pair: KeyPair): void;
  /** Accepts no more requests, waits a while for running ones, then closes every connection. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly app: RequestListener;
  readonly host: string;
  readonly port: number;
  /** Serves HTTPS instead of HTTP. */
  readonly keyPair?: KeyPair | undefined;
  /** How long running requests may continue after `close`. */
  readonly graceMs?: number;
}

/**
 * Listens for HTTP. Cuts off clients that send headers or body too slowly or do not read the answer. Throws `Problem("conflict")` if the
 * address is in use and `Problem("invalid")` if it cannot be used.
 */
export async function listen({ app, host, port, keyPair, graceMs = 2_000 }: ListenOptions): Promise<Listening> {
  const timeouts = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 30_000, connectionsCheckingInterval: 2_000 };
  // Node.js 24.9 and newer call this and answer other upgrade requests themselves.
  const options = { ...timeouts, shouldUpgradeCallback: asksForWebSocket };
  const tlsServer = keyPair && createTlsServer({ ...options, ...keyPair, handshakeTimeout: 10_000, minVersion: "TLSv1.2" }, app);
  const server: Server = tlsServer ?? createServer(options, app);
  server.setTimeout(idleTimeoutMs);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    // `answerWithoutUpgrade` emits the same connection again.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("clientError", refuseUnreadable);
  await new Promise<void>((done, fail) => {
    server.once("error", (error: NodeJS.ErrnoException) => fail(addressProblem(error, host, port)));
    server.listen({ port, host, backlog }, done);
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    setKeyPair: (pair) => tlsServer?.setSecureContext(pair),
    close: async () => {
      const closed = new Promise<void>((done) => server.close(() => done()));
      // Browsers open connections in advance. Node does not count unused ones as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      // A connection that was busy a moment ago is idle now and would be kept alive.
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      const deadline = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(deadline);
    },
  };
}

/** Answers unreadable, oversized or slow requests in the same format as other errors. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  // A failed TLS handshake leaves no channel for an answer.
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? "") || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = unreadable[error.code ?? ""] ?? ["400 Bad Request", "This is not a readable HTTP request"];
  socket.end(rawRefusal(status, detail));
  // who goes on sending would keep the connection for ever
  setTimeout(() => socket.destroy(), refusedMs).unref();
}

/** How long a refused client may take to read the answer. */
const refusedMs = 2_000;

const unreadable: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are larger than 16 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time"],
};

function addressProblem(cause: NodeJS.ErrnoException, host: string, port: number): Problem {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "is in use by another program; stop it, or choose another port with PORT",
    EACCES: "needs more privileges than this user has; choose a port above 1023 with PORT",
    EADDRNOTAVAIL: "is not an address of this machine; correct HOST",
    ENOTFOUND: "is not a known host name; correct HOST",
  };
  const kind = cause.code === "EADDRINUSE" ? "conflict" : "invalid";
  return new Problem(kind, `${host}:${port} ${reasons[cause.code ?? ""] ?? `cannot be used: ${cause.message}`}`, { cause });
}
