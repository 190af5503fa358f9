import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import type { Log } from "../../src/base/log/log.ts";
import type { RequestCounter } from "./stats.ts";

const header = "X-Request-ID";

/** Gives each answer an id that the log can be searched for. Keeps the client's id if it is a plain token. */
export function assignRequestId(request: Request, response: Response, next: () => void): void {
  const given = request.headers["x-request-id"];
  response.setHeader(header, typeof given === "string" && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID());
  next();
}

/** Returns the id from `assignRequestId`. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader(header));
}

/** Replaces the token in the addresses of shares and invitations, which is as good as a key, and the password of a camera. */
export function withoutToken(path: string): string {
  return path.replace(/\/(shared|invite|invitations)\/[^/]+/, "/$1/…").replace(/(\/ingest\/[^/]+)\/.+/i, "$1/…");
}

/** Counts each answer and logs it at level debug. The log omits the query and tokens in the path, which are secrets. */
export function logRequests(log: Log, counter: RequestCounter): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const path = withoutToken(request.path);
    response.once("close", () => {
      const status = response.headersSent ? response.statusCode : 0;
      const milliseconds = performance.now() - startedAt;
      counter.count(status, milliseconds);
      log.debug({ requestId: requestIdOf(response), method: request.method, path, status, milliseconds }, "answered");
    });
    next();
  };
}
