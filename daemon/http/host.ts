import type { Request, RequestHandler } from "express";
import { Problem } from "../../src/contract/problem.ts";
import { foreignHost, isHostAllowed } from "../../src/platform/access/allowed-host.ts";

/** Refuses requests for other hosts with 403. */
export function checkHost(allowedHosts: readonly string[]): RequestHandler {
  // a browser repeats the same few hosts, and this runs on each request
  let lastAllowed: string | undefined;
  return (request: Request, _response, next) => {
    const host = request.headers.host;
    if (host !== lastAllowed && !isHostAllowed(host, allowedHosts)) {
      throw new Problem("forbidden", foreignHost(host));
    }
    lastAllowed = host;
    next();
  };
}
