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

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address);
}
