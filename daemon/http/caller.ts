import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../src/work/operations/operation.ts";

/** Requests whose API key was found valid. */
const authenticated = new WeakSet<IncomingMessage>();

/** Notes that a request carried a valid API key. */
export function markAuthenticated(request: IncomingMessage): void {
  authenticated.add(request);
}

/** Headers by which a proxy says that it passes on somebody else's request. */
const forwardingHeaders = ["forwarded", "x-forwarded-for", "x-real-ip", "via"] as const;

/** Who asks, as operations may know it. */
export function callerOf(request: IncomingMessage, response: ServerResponse): Caller {
  return {
    isLocal: isLoopback(request.socket.remoteAddress) && forwardingHeaders.every((name) => request.headers[name] === undefined),
    isAuthenticated: authenticated.has(request),
    // made for those who look, since nearly nobody does
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
