import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import type { Access } from "../../src/platform/keys/named-keys.ts";
import type { Caller } from "../../src/work/operations/operation.ts";
import { setSessionCookie } from "./session-cookie.ts";

/** What the keys of requests may do. */
const accesses = new WeakMap<IncomingMessage, Access>();

/** Records what the valid key of a request may do. */
export function setAccess(request: IncomingMessage, access: Access): void {
  accesses.set(request, access);
}

/** Headers of a proxy that forwards another client's request. */
const forwardingHeaders = ["forwarded", "x-forwarded-for", "x-real-ip", "via"] as const;

/** Describes the client of a request, which has this address, for operations. */
export function callerOf(request: IncomingMessage, response: ServerResponse, address: string): Caller {
  const access = accesses.get(request);
  return {
    client: access?.keyId ?? address,
    isLocal: isLoopback(request.socket.remoteAddress) && forwardingHeaders.every((name) => request.headers[name] === undefined),
    origin: originOf(request),
    access,
    keepSession: (secret) => setSessionCookie(request, response, secret),
    userAgent: request.headers["user-agent"],
    // Created on access, because few operations use it.
    get gone() {
      return disconnectSignal(response);
    },
  };
}

/** Returns a signal that aborts when the client disconnects before its answer is complete. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) abort();
  else response.once("close", abort);
  return controller.signal;
}

/** The scheme and host that the client used; behind a proxy, by its headers. */
function originOf({ headers: { host, "x-forwarded-proto": proto }, socket }: IncomingMessage): string | undefined {
  if (host === undefined) return undefined;
  return `${socket instanceof TLSSocket || proto === "https" ? "https" : "http"}://${host}`;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address);
}
