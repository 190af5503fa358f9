import type { Request, RequestHandler } from "express";
import { Problem } from "../../src/contract/problem.ts";
import { foreignHost, isHostAllowed } from "../../src/platform/access/hosts.ts";

/** Answers 403 to requests for other hosts. */
export function checkHost(allowedHosts: readonly string[]): RequestHandler {
  // Runs on every request, and a browser repeats the same few hosts.
  let lastAllowed: string | undefined;
  return (request: Request, _response, next) => {
    const { host } = request.headers;
    // A proxy may have checked the other one. Node.js keeps only the first.
    if ((request.headersDistinct["host"]?.length ?? 0) > 1) {
      throw new Problem("bad_request", "The request has more than one Host header; send one");
    }
    if (host !== lastAllowed && !isHostAllowed(host, allowedHosts)) {
      throw new Problem("forbidden", foreignHost(host));
    }
    lastAllowed = host;
    next();
  };
}

/** Whether a page of this origin was loaded from the requested host. Port and scheme may differ. */
export function isOwnOrigin(origin: string, hostHeader: string | undefined): boolean {
  const from = hostnameOf(origin);
  return from !== undefined && from === hostnameOf(`http://${hostHeader ?? ""}`);
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}
