import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Problem } from "../../src/contract/problem.ts";
import type { KeyPair } from "../../src/platform/tls/key-pair.ts";
import { asksForWebSocket } from "./other-upgrade.ts";
import { rawRefusal } from "./raw-answer.ts";

/** A connection on which nothing moves for so long is cut. */
export const silenceMs = 120_000;

export interface Listening {
  readonly server: Server;
  /** The real one, when port 0 was asked for. */
  readonly port: number;
  /** Uses another certificate for connections from now on. Only where TLS is on. */
  setKeyPair(pair: KeyPair): void;
  /** Takes no more requests, lets those that run finish for a while, then cuts every connection. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly app: RequestListener;
  readonly host: string;
  readonly port: number;
  /** With a key pair HTTPS is spoken instead of HTTP. */
  readonly keyPair?: KeyPair | undefined;
  /** How long running requests may go on after `close`. */
  readonly graceMs?: number;
}

/**
 * Listens for HTTP. Whoever sends headers or body too slowly, or does not read the answer, is cut off. Throws
 * `Problem("conflict")` when the address cannot be had.
 */
export async function listen({ app, host, port, keyPair, graceMs = 2_000 }: ListenOptions): Promise<Listening> {
  const times = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 30_000, connectionsCheckingInterval: 2_000 };
  // asked by Node.js 24.9 and newer, which answers requests with other offers itself
  const ways = { ...times, shouldUpgradeCallback: asksForWebSocket };
  const tlsServer = keyPair && createTlsServer({ ...ways, ...keyPair, handshakeTimeout: 10_000, minVersion: "TLSv1.2" }, app);
  const server: Server = tlsServer ?? createServer(ways, app);
  server.setTimeout(silenceMs);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    // once more when an offer to upgrade was left out
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("clientError", refuseUnreadable);
  await new Promise<void>((done, fail) => {
    server.once("error", (error: NodeJS.ErrnoException) => fail(addressProblem(error, host, port)));
    server.listen(port, host, done);
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    setKeyPair: (pair) => tlsServer?.setSecureContext(pair),
    close: async () => {
      const closed = new Promise<void>((done) => server.close(() => done()));
      // opened ahead by a browser and never used: to Node these are not idle
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      // a connection that was busy a moment ago is idle now and would be kept alive
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

/** Answers what is not HTTP, or HTTP too large or too slow, in the form of every other error. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  // a handshake that failed leaves nothing through which an answer could go
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? "") || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = unreadable[error.code ?? ""] ?? ["400 Bad Request", "This is not a readable HTTP request"];
  socket.end(rawRefusal(status, detail));
}

const unreadable: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers have more than 16 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time"],
};

function addressProblem(cause: NodeJS.ErrnoException, host: string, port: number): Problem {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "is in use by another program; stop it, or choose another port with PORT",
    EACCES: "may not be used by this user; choose a port above 1023 with PORT",
    EADDRNOTAVAIL: "is not an address of this machine; correct HOST",
    ENOTFOUND: "is not a known host name; correct HOST",
  };
  const kind = cause.code === "EADDRINUSE" ? "conflict" : "invalid";
  return new Problem(kind, `${host}:${port} ${reasons[cause.code ?? ""] ?? `cannot be used: ${cause.message}`}`, { cause });
}
