import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../src/work/operations/operation.ts";

/** Requests with a valid API key. */
const authenticated = new WeakSet<IncomingMessage>();

/** Records that a request had a valid API key. */
export function markAuthenticated(request: IncomingMessage): void {
  authenticated.add(request);
}

/** Headers of a proxy that forwards another client's request. */
const forwardingHeaders = ["forwarded", "x-forwarded-for", "x-real-ip", "via"] as const;

/** Describes the client of a request for operations. */
export function callerOf(request: IncomingMessage, response: ServerResponse): Caller {
  return {
    isLocal: isLoopback(request.socket.remoteAddress) && forwardingHeaders.every((name) => request.headers[name] === undefined),
    isAuthenticated: authenticated.has(request),
    // Created on access, because few operations use it.
    get gone() {
      return departureOf(response);
    },
  };
}

function departureOf(response: ServerResponse): AbortSignal {
  const departure = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) departure.abort();
  };
  if (response.closed) leave();
  else response.once("close", leave);
  return departure.signal;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address);
}
