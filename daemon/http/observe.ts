import type { RequestHandler } from "express";
import type { Log } from "../../src/base/log/log.ts";
import { requestIdOf } from "./request-id.ts";
import type { RequestCounter } from "./stats.ts";

/** Counts each answer and logs it at level debug. The log omits the query, which may contain a key. */
export function observe(log: Log, counter: RequestCounter): RequestHandler {
  return (request, response, next) => {
    const begun = performance.now();
    const path = request.path;
    response.once("close", () => {
      const status = response.headersSent ? response.statusCode : 0;
      const milliseconds = performance.now() - begun;
      counter.count(status, milliseconds);
      log.debug({ requestId: requestIdOf(response), method: request.method, path, status, milliseconds }, "answered");
    });
    next();
  };
}
