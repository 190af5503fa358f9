import type { RequestHandler } from "express";
import { Problem } from "../../src/contract/problem.ts";
import { isOwnOrigin } from "./host.ts";

const readOnly: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Answers 403 to writes from pages of other sites. A browser sends a POST without a body to any site, and only then checks whether the page
 * may read the answer. Programs send neither `Origin` nor `Sec-Fetch-Site`.
 */
export function refuseForeignWrites(allowedOrigins: readonly string[]): RequestHandler {
  const allowed = new Set(allowedOrigins);
  return (request, _response, next) => {
    if (readOnly.has(request.method)) return next();
    const { origin, host } = request.headers;
    const site = request.headers["sec-fetch-site"];
    const isOwn =
      origin === undefined
        ? site === undefined || site === "same-origin" || site === "none"
        : allowed.has(origin) || isOwnOrigin(origin, host);
    if (isOwn) return next();
    throw new Problem(
      "forbidden",
      `Pages of ${origin ?? "another site"} may not change anything here; if the page is yours, add its origin to CORS_ORIGINS`,
    );
  };
}
