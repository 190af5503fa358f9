import type { IncomingMessage } from "node:http";
import type { Caller } from "../../src/operations/operation.ts";

/** Requests whose API key was found valid. */
const authenticated = new WeakSet<IncomingMessage>();

/** Notes that a request carried a valid API key. */
export function markAuthenticated(request: IncomingMessage): void {
  authenticated.add(request);
}

/** Headers by which a proxy says that it passes on somebody else's request. */
const forwardingHeaders = ["forwarded", "x-forwarded-for", "x-real-ip", "via"] as const;

/** Who asks, as operations may know it. */
export function callerOf(request: IncomingMessage): Caller {
  return {
    isLocal: isLoopback(request.socket.remoteAddress) && forwardingHeaders.every((name) => request.headers[name] === undefined),
    isAuthenticated: authenticated.has(request),
  };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address);
}
